import { z } from 'zod';
import {
  type AspectRatio,
  type ImageRequest,
  type ImageSize,
  MAX_IMAGES,
} from '../../../core/models/contract/image-model.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { checkFields, isLonger, refuseLookalikes, toKnownFields } from '../../fields/check-fields.ts';
import { modelNameSchema, wholeNumberSchema } from '../../fields/field-schemas.ts';
import { invalidRequest } from '../../http-error.ts';

/** Maximum length in Unicode code points, as for OpenAI's image models. */
const MAX_PROMPT_LENGTH = 32_000;
/** Minimum side length in pixels. */
const MIN_SIDE = 64;
/** Maximum side length in pixels: an image may have at most 16 megapixels. */
const MAX_SIDE = 4096;
const MAX_SEED = 2 ** 31 - 1;

/** Schema of a description of an image. */
export const promptSchema = z
  .string('must be a text that describes the image')
  .refine((prompt) => prompt.trim() !== '', 'must describe the image')
  .refine((prompt) => !isLonger(prompt, MAX_PROMPT_LENGTH), `must not be longer than ${MAX_PROMPT_LENGTH} characters`)
  .meta({ pattern: String.raw`\S`, maxLength: MAX_PROMPT_LENGTH });

const SIZE_PROBLEM = `must be 'auto' or '<width>x<height>', both from ${MIN_SIDE} to ${MAX_SIDE} pixels`;

/** Schema of the body of `POST /ai/openai/images/generations`. */
export const imagesSchema = z.object({
  model: modelNameSchema.nullish().describe('Name of a model with type `image`. Unset: the default image model.'),
  prompt: promptSchema.describe('Description of the images, up to 32 000 characters.'),
  n: wholeNumberSchema(1, MAX_IMAGES).nullish().describe('Number of images.'),
  size: z
    .string(SIZE_PROBLEM)
    .nullish()
    .transform((text, check) => {
      if (text === undefined || text === null || text === 'auto') return undefined;
      const size = parseSize(text);
      if (size) return size;
      check.addIssue(SIZE_PROBLEM);
      return z.NEVER;
    })
    .describe('`<width>x<height>`, each 64 to 4096, or `auto`.'),
  response_format: z
    .enum(['b64_json', 'url'], "must be 'b64_json' or 'url'")
    .nullish()
    .describe('`url` returns a `data:` URL.'),
  output_format: z
    .enum(['png', 'jpeg', 'webp'], "must be 'png', 'jpeg' or 'webp'")
    .nullish()
    .describe('Unset: the format of the provider.'),
  seed: wholeNumberSchema(0, MAX_SEED)
    .nullish()
    .describe('The same seed gives the same image, if the model supports seeds.'),
  stream: z.literal(false, 'must not be true: images are not streamed here').nullish().describe('Must not be `true`.'),
  partial_images: z.literal(0, 'must not be set: images are not streamed here').nullish().describe('Must not be set.'),
});

/** Fields of OpenAI's images endpoint that are accepted but not forwarded, besides those of the schema. */
const FIELDS_WITHOUT_EFFECT = ['user'];
/** Names of hosts for `n`. Forwarded, they could make a provider generate more images than the quota counts. */
const OTHER_COUNTS: ReadonlySet<string> = new Set([
  'batch_size',
  'n_iter',
  'num_images',
  'num_images_per_prompt',
  'num_outputs',
  'number_of_images',
  'number_of_results',
  'sample_count',
  'samples',
]);
/** Fields of an edit, at `/images/edits`. */
const EDIT_FIELDS: readonly string[] = ['image', 'images', 'mask'];
const IMAGES_FIELDS = toKnownFields([...Object.keys(imagesSchema.shape), ...OTHER_COUNTS, ...EDIT_FIELDS]);
const OWN_FIELDS: ReadonlySet<string> = new Set([...Object.keys(imagesSchema.shape), ...FIELDS_WITHOUT_EFFECT]);

/** Validated request of `POST /ai/openai/images/generations`. */
export interface ImagesOptions {
  readonly params: Omit<ImageRequest, 'model' | 'ratio'> & {
    readonly ratio: AspectRatio | undefined;
    readonly format: 'png' | 'jpeg' | 'webp' | undefined;
  };
  /** Undefined for the default model. */
  readonly model: string | undefined;
  /** Encoding of the images in the response. */
  readonly responseFormat: 'b64_json' | 'url';
}

/**
 * Validates the body of `POST /ai/openai/images/generations`, or the fields of an edit without its images. Unknown
 * fields are forwarded to the provider.
 * @throws HttpError 400 with `param`.
 */
export function toImagesOptions(fields: JsonObject): ImagesOptions {
  refuseLookalikes(fields, IMAGES_FIELDS);
  const count = Object.keys(fields).find((field) => OTHER_COUNTS.has(field));
  if (count !== undefined) throw invalidRequest(`'${count}' is not supported: 'n' is the number of images.`, count);
  const edit = EDIT_FIELDS.find((field) => (fields[field] ?? undefined) !== undefined);
  if (edit) throw invalidRequest(`'${edit}' is not supported here: /images/edits edits images.`, edit);
  const checked = checkFields(imagesSchema, fields);
  const extra = Object.entries(fields).filter(([field]) => !OWN_FIELDS.has(field));
  return {
    params: {
      prompt: checked.prompt,
      ratio: checked.size,
      size: checked.size,
      count: checked.n ?? 1,
      seed: checked.seed ?? undefined,
      format: checked.output_format ?? undefined,
      extraFields: extra.length > 0 ? Object.fromEntries(extra) : undefined,
    },
    model: checked.model ?? undefined,
    responseFormat: checked.response_format ?? 'b64_json',
  };
}

function parseSize(text: string): ImageSize | undefined {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(text) ?? [];
  const size = { width: Number(width), height: Number(height) };
  const fits = (side: number) => side >= MIN_SIDE && side <= MAX_SIDE;
  return fits(size.width) && fits(size.height) ? size : undefined;
}
