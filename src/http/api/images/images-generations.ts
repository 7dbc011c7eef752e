import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { GeneratedImage, GeneratedImages } from '../../../core/generation/index.ts';
import type { Catalogue } from '../../../core/models/index.ts';
import { HttpError } from '../../http-error.ts';
import { parseJsonBody } from '../../json-body.ts';
import { describeResponse } from '../../openapi.ts';
import { getRecord } from '../../request-log.ts';
import { FAILURES, REFUSALS, unixSecondsSchema } from '../documented-errors.ts';
import type { ImagesDeps } from '../generation-api-deps.ts';
import { getRequestContext } from '../request-context.ts';
import { type ImagesOptions, imagesSchema, toImagesOptions } from './image-options.ts';
import { type JsonChunk, joinJsonChunks } from './send-json-chunks.ts';

const imagesAnswerSchema = z
  .strictObject({
    created: unixSecondsSchema,
    data: z.array(
      z.strictObject({
        b64_json: z.string().optional(),
        url: z.string().optional().describe('A `data:` URL: nothing is stored.'),
        revised_prompt: z.string().optional(),
      }),
    ),
    size: z.string().optional(),
    output_format: z.string().optional(),
    usage: z.looseObject({ total_tokens: z.int() }),
  })
  .meta({ id: 'Images' });

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
export function addImagesGenerations(server: FastifyInstance, deps: ImagesDeps): void {
  server.post('/ai/openai/images/generations', { schema: SCHEMA }, async (request, reply) => {
    const { params, model, responseFormat } = toImagesOptions(parseJsonBody(request.body));
    const { requester, signal } = getRequestContext(request);
    const name = model ?? getDefaultModel(deps.catalogue);
    deps.deliveries.requireCapacity();
    const made = await deps.images.generate(requester, { ...params, model: name }, signal);
    getRecord(request).markAnswered({
      outcome: { provider: made.provider, model: made.providerModel, finishReason: undefined },
    });
    const body = toImagesBody(made, Math.floor(deps.clock.now() / 1000), responseFormat);
    await deps.deliveries.send(reply, body);
    return reply;
  });
}

function getDefaultModel(catalogue: Catalogue): string {
  const entry = catalogue.defaultImageModel();
  if (entry) return entry.id;
  throw new HttpError({
    status: 404,
    type: 'invalid_request_error',
    code: 'model_not_found',
    message: 'No model here creates images.',
    param: 'model',
  });
}

function toImagesBody(
  made: GeneratedImages,
  created: number,
  responseFormat: ImagesOptions['responseFormat'],
): JsonChunk[] {
  const [first] = made.images;
  const facts = {
    ...(first ? { size: `${first.width}x${first.height}`, output_format: first.format } : {}),
    usage: {
      input_tokens: 0,
      input_tokens_details: { image_tokens: 0, text_tokens: 0 },
      output_tokens: made.tokens,
      total_tokens: made.tokens,
      output_tokens_details: { image_tokens: made.tokens, text_tokens: 0 },
    },
  };
  return [
    `{"created":${created},"data":[`,
    ...joinJsonChunks(made.images.map((image) => toImageObject(image, responseFormat))),
    `],${JSON.stringify(facts).slice(1)}`,
  ];
}

function toImageObject(image: GeneratedImage, responseFormat: ImagesOptions['responseFormat']): JsonChunk[] {
  const { bytes, format, revisedPrompt } = image;
  return [
    responseFormat === 'url' ? `{"url":"data:image/${format};base64,` : '{"b64_json":"',
    bytes,
    revisedPrompt === undefined ? '"}' : `","revised_prompt":${JSON.stringify(revisedPrompt)}}`,
  ];
}
