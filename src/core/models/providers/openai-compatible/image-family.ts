import type { PictureSize } from '../../image-model.ts';

/** What is known of models by their names alone, wherever they are served. */
export interface ImageFamily {
  /** The only sizes it draws; undefined: any. */
  readonly sizes?: readonly PictureSize[];
  /** Knows `response_format`. */
  readonly takesResponseFormat: boolean;
  /** Knows `seed`. */
  readonly takesSeed: boolean;
  /** Pictures for one request, where there is a limit. */
  readonly maxCount?: number;
  /** Edits pictures at OpenAI's edits endpoint. */
  readonly edits: boolean;
}

const size = (width: number, height: number): PictureSize => ({ width, height });

/** https://platform.openai.com/docs/api-reference/images/create */
const FAMILIES: readonly (ImageFamily & { readonly names: RegExp })[] = [
  {
    // Always answers in base64; DALL·E 2 edits only square PNG files with a transparent place in them.
    names: /(^|\/)(gpt-image|chatgpt-image)/,
    sizes: [size(1024, 1024), size(1536, 1024), size(1024, 1536)],
    takesResponseFormat: false,
    takesSeed: false,
    maxCount: 10,
    edits: true,
  },
  {
    names: /(^|\/)dall-e-3/,
    sizes: [size(1024, 1024), size(1792, 1024), size(1024, 1792)],
    takesResponseFormat: true,
    takesSeed: false,
    maxCount: 1,
    edits: false,
  },
  {
    names: /(^|\/)dall-e-2/,
    sizes: [size(1024, 1024), size(512, 512), size(256, 256)],
    takesResponseFormat: true,
    takesSeed: false,
    maxCount: 10,
    edits: false,
  },
];

const UNKNOWN: ImageFamily = { takesResponseFormat: true, takesSeed: true, edits: false };

export function imageFamilyOf(model: string): ImageFamily {
  return FAMILIES.find(({ names }) => names.test(model)) ?? UNKNOWN;
}
