import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { GeneratedImage, GeneratedImages, GenerateImagesOptions } from '../../../core/generation/index.ts';
import { unixSecondsSchema } from '../../../protocols/fields/field-schemas.ts';
import { getHold, settleAnswer } from '../../server/bodies/holds.ts';
import { getRecord } from '../../server/request-log.ts';
import type { HttpServices } from '../../services.ts';
import { getRequestContext } from '../requests/request-context.ts';
import type { ImagesOptions } from './image-options.ts';
import { type JsonChunk, joinJsonChunks, sendJsonChunks } from './send-json-chunks.ts';

/** A PNG of 1024 × 1024 pixels has up to this size. */
const USUAL_IMAGE_BYTES = 3 * 1024 * 1024;

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
  services: HttpServices,
): Promise<FastifyReply> {
  const made = await generateImages(request, { ...params, model }, services);
  const body = toImagesBody(made, Math.floor(services.clock.now() / 1000), responseFormat);
  await sendJsonChunks(reply, body, services.clock);
  return reply;
}

/** Generates images, which count in the hold of the request: as expected from their turn on, as they are at the end. */
export async function generateImages(
  request: FastifyRequest,
  params: GenerateImagesOptions,
  services: HttpServices,
): Promise<GeneratedImages> {
  const { requester, signal } = getRequestContext(request);
  const hold = getHold(request);
  const onStart = () => hold.expect(Math.max(hold.expectedBytes, params.count * USUAL_IMAGE_BYTES));
  const made = await services.images.generate(requester, params, signal, undefined, onStart);
  settleAnswer(
    request,
    made.images.reduce((sum, { bytes }) => sum + bytes.length, 0),
  );
  getRecord(request).markAnswered({ provider: made.provider, model: made.providerModel });
  return made;
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
