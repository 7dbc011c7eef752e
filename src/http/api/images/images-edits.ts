import type { FastifyInstance } from 'fastify';
import type { Catalogue } from '../../../core/models/index.ts';
import { noDefaultModel } from '../../../protocols/http-error.ts';
import { imagesAnswerSchema } from '../../../protocols/openai-media/images/print-answer.ts';
import {
  editFormSchema,
  editJsonSchema,
  MAX_SOURCE_IMAGES,
  toEditOptionsOfForm,
  toEditOptionsOfJson,
} from '../../../protocols/openai-media/images/read-edit.ts';
import { parseJsonBody } from '../../server/bodies/json-body.ts';
import { describeResponse } from '../../server/openapi.ts';
import type { HttpServices } from '../../services.ts';
import { describeError, FAILURES, REFUSALS } from '../requests/documented-errors.ts';
import type { FormLimits } from '../requests/form-limits.ts';
import { findForm } from '../requests/forms.ts';
import { getRequestContext } from '../requests/request-context.ts';
import { answerImages } from './images-answer.ts';

const MIB = 1024 * 1024;
const LIMITS: FormLimits = {
  maxFiles: MAX_SOURCE_IMAGES + 1,
  maxFileBytes: 25 * MIB,
  maxBytes: 50 * MIB,
  takesJson: true,
};

const SCHEMA = {
  tags: ['OpenAI'],
  summary: 'Edit images',
  description:
    "OpenAI's protocol: a form with the images as files, each up to 25 MiB and 50 MiB together, or JSON with data URLs. Fields that are not listed here are passed to the provider.",
  security: [{ 'api-key': [] }],
  body: {
    content: {
      'multipart/form-data': { schema: editFormSchema },
      'application/json': { schema: editJsonSchema },
    },
  },
  response: {
    200: describeResponse('The images.', imagesAnswerSchema),
    ...REFUSALS,
    413: describeError('An image is larger than 25 MiB, a form than 50 MiB, or JSON than 20 MiB: `request_too_large`.'),
    415: describeError('The body is neither a form nor JSON: `unsupported_media_type`.'),
    ...FAILURES,
  },
};

/**
 * Adds `POST /ai/openai/images/edits`: one or several images and a prompt, like `/images/generations` otherwise. Without
 * `size` the result has the nearest of the usual ratios to the first image.
 */
export function addImagesEdits(server: FastifyInstance, services: HttpServices): void {
  server.post('/ai/openai/images/edits', { schema: SCHEMA, config: { form: LIMITS } }, async (request, reply) => {
    const form = findForm(request);
    const options = form ? toEditOptionsOfForm(form) : toEditOptionsOfJson(await parseJsonBody(request.body));
    const { catalogue } = getRequestContext(request);
    const model = options.model ?? findEditingModel(catalogue) ?? findEditingModel(services.catalogue);
    if (model === undefined) throw noDefaultModel('No model here edits images.');
    return answerImages({ request, reply }, { ...options, model }, services);
  });
}

/** Returns the default image model if it edits images, otherwise the first one that does, or that may. */
function findEditingModel(catalogue: Catalogue): string | undefined {
  const usual = catalogue.defaultImageModel();
  const models = [...(usual ? [usual] : []), ...catalogue.list().filter(({ type }) => type === 'image')];
  const known = models.find(({ acceptsImages }) => acceptsImages);
  return (known ?? models.find(({ acceptsImages }) => acceptsImages === undefined))?.id;
}
