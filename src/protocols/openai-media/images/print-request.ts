import type { AspectRatio, ImageRequest, ImageSize } from '../../../core/models/contract/image-model.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { OptionalParameter } from '../../optional-parameter.ts';
import { toDataUrl, toEditForm } from './edit-form.ts';
import { imageFamilyOf } from './image-family.ts';
import { toShapeWays } from './image-shape.ts';
/** Differences of a host's images endpoint from OpenAI's. Omitted fields are as in OpenAI's API. */
export interface ImagesDialect {
  /** Field for the shape of an image. Default `size`: `"1024x1024"`. */
  readonly shape?: 'size' | 'image_size' | 'width-and-height' | 'aspect_ratio';
  /** The only supported sizes. Default: those of the model's family, else any. */
  readonly sizes?: readonly ImageSize[];
  /** The only supported ratios with `aspect_ratio`. */
  readonly ratios?: readonly AspectRatio[];
  /** Field for the number of images. Default `n`. */
  readonly countField?: string;
  /** Value of `response_format` for base64; null if the host has no such field. Default `b64_json`. */
  readonly responseFormat?: string | null;
  /** Models that edit images, in addition to OpenAI's own at OpenAI's edits endpoint. */
  readonly editing?: ImagesEditing;
}

export interface ImagesEditing {
  /** Matches the names of models that edit. */
  readonly models: RegExp;
  /**
   * Location of the source image: a file at `/images/edits` as in OpenAI's API, an object with a data URL at
   * `/images/edits`, or a data URL in the field of that name at `/images/generations`.
   */
  readonly source: 'file' | 'object' | 'image_url' | 'image';
}

/** A request for images. */
export interface ImageQuestion {
  readonly url: string;
  readonly contentType: string;
  /** A form, or an object that is sent as JSON. */
  readonly body: Buffer | JsonObject;
  /** The provider's name of the model. */
  readonly model: string;
}

/** Fields that clients can't set: set in every request here, or would make the response no plain JSON. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'prompt',
  'n',
  'size',
  'seed',
  'response_format',
  'image',
  'mask',
  'stream',
  'partial_images',
]);

/** Returns the parameters that hosts may refuse one by one. */
export function listImageParameters(request: ImageRequest, dialect: ImagesDialect): readonly OptionalParameter[] {
  const family = imageFamilyOf(request.model);
  const { responseFormat = 'b64_json', countField = 'n' } = dialect;
  const count = Math.min(request.count, family.maxCount ?? request.count);
  const parameter = (name: string, about: RegExp, ways: readonly JsonObject[]): OptionalParameter => ({
    name,
    about,
    ways,
  });
  return [
    parameter(
      'shape',
      /\b(image_?)?size\b|\bwidth\b|\bheight\b|aspect[_ ]?ratio|\bresolution|\bdimension/i,
      toShapeWays(request, dialect, family.sizes),
    ),
    ...(responseFormat !== null && family.takesResponseFormat
      ? [parameter('format', /response_?format/i, [{ response_format: responseFormat }])]
      : []),
    ...(count > 1
      ? [
          parameter('count', /(^|[\s'"`.])n($|[\s'"`:])|num(ber)?[_ ](of[_ ])?(images|outputs)|batch_size/i, [
            { [countField]: count },
          ]),
        ]
      : []),
    ...(request.seed !== undefined && family.takesSeed
      ? [parameter('seed', /\bseed\b/i, [{ seed: request.seed }])]
      : []),
  ];
}

/** Converts the request to the host's dialect; `url` is relative to its base address. */
export function printImageRequest(
  { model, prompt, sources = [], mask, extraFields = {} }: ImageRequest,
  fields: JsonObject,
  editing: ImagesEditing['source'] | undefined,
): ImageQuestion {
  const passed = Object.entries(extraFields).filter(([field]) => !OWN_FIELDS.has(field));
  const body = { ...Object.fromEntries(passed), ...fields, model, prompt };
  const toJson = (url: string, extra: JsonObject = {}): ImageQuestion => ({
    url,
    contentType: 'application/json',
    body: { ...body, ...extra },
    model,
  });
  const [source] = sources;
  if (!source || !editing) return toJson('/images/generations');
  switch (editing) {
    case 'file':
      return { url: '/images/edits', ...toEditForm({ sources, mask }, body), model };
    case 'object':
      return toJson('/images/edits', { image: { url: toDataUrl(source), type: 'image_url' } });
    case 'image_url':
    case 'image':
      return toJson('/images/generations', { [editing]: toDataUrl(source) });
  }
}
