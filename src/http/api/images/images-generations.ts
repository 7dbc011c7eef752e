import type { FastifyInstance } from 'fastify';
import { noDefaultModel } from '../../../protocols/http-error.ts';
import { imagesAnswerSchema } from '../../../protocols/openai-media/images/print-answer.ts';
import { imagesSchema, toImagesOptions } from '../../../protocols/openai-media/images/read-request.ts';
import { parseJsonBody } from '../../server/bodies/json-body.ts';
import { describeResponse } from '../../server/openapi.ts';
import type { HttpServices } from '../../services.ts';
import { FAILURES, REFUSALS } from '../requests/documented-errors.ts';
import { getRequestContext } from '../requests/request-context.ts';
import { answerImages } from './images-answer.ts';

const SCHEMA = {
  tags: ['OpenAI'],
  summary: 'Generate images',
  description: "OpenAI's protocol. Fields that are not listed here are passed to the provider.",
  security: [{ 'api-key': [] }],
  body: imagesSchema.meta({ examples: [{ prompt: 'A lighthouse in the fog', size: '1024x1024' }] }),
  response: {
    200: describeResponse('The images.', imagesAnswerSchema),
    ...REFUSALS,
    ...FAILURES,
  },
};

/**
 * Adds `POST /ai/openai/images/generations`, without streaming. A `url` is a `data:` URL, because nothing is stored.
 */
export function addImagesGenerations(server: FastifyInstance, services: HttpServices): void {
  server.post('/ai/openai/images/generations', { schema: SCHEMA }, async (request, reply) => {
    const options = toImagesOptions(await parseJsonBody(request.body));
    const { catalogue } = getRequestContext(request);
    const entry = catalogue.defaultImageModel() ?? services.catalogue.defaultImageModel();
    const model = options.model ?? entry?.id;
    if (model === undefined) throw noDefaultModel('No model here creates images.');
    return answerImages({ request, reply }, { ...options, model }, services);
  });
}
