import { z } from 'zod';
import { readDataUrl } from '../../../lib/formats/data-url.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { checkFields } from '../../fields/check-fields.ts';
import { type Form, toJsonFields } from '../../fields/form-fields.ts';
import { invalidRequest } from '../../http-error.ts';
import { type ImagesOptions, imagesSchema, toImagesOptions } from './read-request.ts';

/** Maximum number of images of one edit, as for OpenAI's models. */
export const MAX_SOURCE_IMAGES = 16;

const DATA_URL_PROBLEM = 'must be a data URL of an image, such as data:image/png;base64,… (others are not downloaded)';

const imageReferenceSchema = z.object(
  {
    image_url: z
      .string(DATA_URL_PROBLEM)
      .transform((url, check) => {
        const file = readDataUrl(url);
        if (file?.mediaType.startsWith('image/')) return Buffer.from(file.base64, 'base64');
        check.addIssue(DATA_URL_PROBLEM);
        return z.NEVER;
      })
      .describe('`data:image/png;base64,…`; other addresses are not downloaded.'),
  },
  'must be an object with an image_url',
);

const ONE_PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const jsonImagesSchema = z.object({
  images: z
    .array(imageReferenceSchema, 'must be a list of images: [{"image_url": "data:image/png;base64,…"}]')
    .min(1, 'must not be empty')
    .max(MAX_SOURCE_IMAGES, `must have at most ${MAX_SOURCE_IMAGES} images`)
    .describe('Images to edit, up to 16.'),
  mask: imageReferenceSchema
    .nullish()
    .describe('A PNG of the size of the first image; its transparent areas are edited.'),
});

/** Schema of the body of `POST /ai/openai/images/edits` as JSON. */
export const editJsonSchema = jsonImagesSchema
  .extend(imagesSchema.shape)
  .meta({ examples: [{ prompt: 'Make it night', images: [{ image_url: ONE_PIXEL }] }] });

/** Schema of the same as a form. Its texts are converted by `toEditOptionsOfForm`. */
export const editFormSchema = z
  .object({
    image: z.file().describe('An image to edit: PNG, JPEG, WebP, GIF, AVIF or TIFF. Several as `image[]`, up to 16.'),
    mask: z.file().optional().describe('A PNG of the size of the first image; its transparent areas are edited.'),
  })
  .extend(imagesSchema.shape);

/**
 * Validates a form for an edit. Unknown fields are forwarded to the provider.
 * @throws HttpError 400 with `param`.
 */
export function toEditOptionsOfForm({ fields, files }: Form): ImagesOptions {
  const sources: Buffer[] = [];
  let mask: Buffer | undefined;
  for (const { field, bytes } of files) {
    if (/^image(?:\[\d*\])?$/.test(field)) sources.push(bytes);
    else if (field !== 'mask') throw invalidRequest(`'${field}' is not supported as a file.`, field);
    else if (mask) throw invalidRequest("'mask' is given more than once.", 'mask');
    else mask = bytes;
  }
  const text = fields.find(({ name }) => /^(?:image|mask)(?:\[\d*\])?$/.test(name));
  if (text) throw invalidRequest(`'${text.name}' must be a file.`, text.name);
  if (sources.length === 0) throw invalidRequest("'image' is missing: send the image to edit as a file.", 'image');
  if (sources.length > MAX_SOURCE_IMAGES)
    throw invalidRequest(`'image' must be at most ${MAX_SOURCE_IMAGES} files.`, 'image');
  return withSources(toImagesOptions(toJsonFields(fields, FIELD_TYPES)), sources, mask);
}

const FIELD_TYPES = {
  numbers: new Set(['n', 'seed', 'output_compression', 'partial_images']),
  booleans: new Set(['stream']),
};

/**
 * The same for JSON, whose images are data URLs.
 * @throws HttpError 400 with `param`.
 */
export function toEditOptionsOfJson({ images, mask, ...fields }: JsonObject): ImagesOptions {
  const checked = checkFields(jsonImagesSchema, { images, mask });
  const sources = checked.images.map(({ image_url: bytes }) => bytes);
  return withSources(toImagesOptions(fields), sources, checked.mask?.image_url);
}

function withSources(options: ImagesOptions, sources: readonly Buffer[], mask: Buffer | undefined): ImagesOptions {
  return { ...options, params: { ...options.params, sources, mask } };
}
