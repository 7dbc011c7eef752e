import type { ImageSize } from '../../../core/models/contract/image-model.ts';

/** Properties of models that are known by name, at any host. */
export interface ImageFamily {
  /** The only supported sizes; undefined means any. */
  readonly sizes?: readonly ImageSize[];
  /** Supports `response_format`. */
  readonly takesResponseFormat: boolean;
  /** Supports `seed`. */
  readonly takesSeed: boolean;
  /** Maximum number of images in one request, if there is a limit. */
  readonly maxCount?: number;
  /** Whether the model edits images at OpenAI's edits endpoint; undefined if that is unknown. */
  readonly edits?: boolean;
}

const size = (width: number, height: number): ImageSize => ({ width, height });

/** https://platform.openai.com/docs/api-reference/images/create */
const FAMILIES: readonly (ImageFamily & { readonly names: RegExp })[] = [
  {
    // Always returns base64. DALL·E 2 edits only square PNG files with a transparent area.
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

const UNKNOWN: ImageFamily = { takesResponseFormat: true, takesSeed: true };

export function imageFamilyOf(model: string): ImageFamily {
  return FAMILIES.find(({ names }) => names.test(model)) ?? UNKNOWN;
}
