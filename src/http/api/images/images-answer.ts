import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { GeneratedImage, GeneratedImages } from '../../../core/generation/index.ts';
import { getRecord } from '../../request-log.ts';
import { unixSecondsSchema } from '../field-schemas.ts';
import type { ImagesDeps } from '../generation-api-deps.ts';
import { getRequestContext } from '../request-context.ts';
import type { ImagesOptions } from './image-options.ts';
import { type JsonChunk, joinJsonChunks } from './send-json-chunks.ts';

/** Schema of the answer. */
export const imagesAnswerSchema = z
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

/**
 * Generates the images and sends them as OpenAI's images endpoints do.
 * @param model public name.
 */
export async function answerImages(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { params, model, responseFormat }: ImagesOptions & { readonly model: string },
  deps: ImagesDeps,
): Promise<FastifyReply> {
  const { requester, signal } = getRequestContext(request);
  const made = await deps.images.generate(requester, { ...params, model }, signal);
  getRecord(request).markAnswered({ provider: made.provider, model: made.providerModel });
  await deps.deliveries.send(reply, toImagesBody(made, Math.floor(deps.clock.now() / 1000), responseFormat));
  return reply;
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
