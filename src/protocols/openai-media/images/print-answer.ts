import { z } from 'zod';
import type { DrawnImage } from '../../../core/models/contract/image-model.ts';
import { unixSecondsSchema } from '../../fields/field-schemas.ts';
import type { ImagesOptions } from './read-request.ts';

/** A part of a JSON text: a string is written unchanged, a buffer as base64. Quotes belong to the strings. */
export type JsonChunk = string | Buffer;

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

/** Prints an answer of the images endpoints. */
export function printImages(
  made: { readonly images: readonly DrawnImage[]; readonly tokens: number },
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

function toImageObject(image: DrawnImage, responseFormat: ImagesOptions['responseFormat']): JsonChunk[] {
  const { bytes, format, revisedPrompt } = image;
  return [
    responseFormat === 'url' ? `{"url":"data:image/${format};base64,` : '{"b64_json":"',
    bytes,
    revisedPrompt === undefined ? '"}' : `","revised_prompt":${JSON.stringify(revisedPrompt)}}`,
  ];
}

/** Joins the elements of a JSON array with commas. */
export function joinJsonChunks(elements: readonly (readonly JsonChunk[])[]): JsonChunk[] {
  return elements.flatMap((element, index) => (index === 0 ? element : [',', ...element]));
}
