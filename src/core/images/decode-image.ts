import sharp, { type ResizeOptions, type Sharp } from 'sharp';

/** Output formats of this module. */
export type ImageFormat = 'png' | 'jpeg' | 'webp';

/** Positive integers; ratios need not be in lowest terms. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

/** An image file and the edit to apply. */
export interface DecodingTask {
  readonly bytes: Uint8Array;
  /**
   * Unset: the file is decoded completely and stays unchanged, unless its format or orientation requires conversion.
   */
  readonly edit?: ImageEdit;
}

/** An edit that creates a new image file. */
export interface ImageEdit {
  readonly format: ImageFormat;
  /** JPEG and WebP quality, 1 to 100. */
  readonly quality?: number;
  /** Region to crop to. */
  readonly extract?: Dimensions & { readonly left: number; readonly top: number };
  readonly resize?: ResizeOptions;
}

export interface DecodedImage extends Dimensions {
  readonly format: ImageFormat;
  /** Unset: the file is unchanged. */
  readonly bytes?: Uint8Array | undefined;
}

/** Covers the largest photos of phones. Decoding takes up to 12 bytes per pixel (progressive JPEG, the worst case). */
const MAX_PIXELS = 50 * 2 ** 20;
/** Limit of one operation on an image; far more than the largest image takes. */
const TIMEOUT_S = 60;
const READABLE_FORMATS: ReadonlySet<string> = new Set(['png', 'jpeg', 'webp', 'gif', 'heif', 'tiff']);

/**
 * Decodes an image completely. Malformed files may crash the native decoders: use `decodeInChild` for untrusted ones.
 */
export async function decodeImage({ bytes, edit }: DecodingTask): Promise<DecodedImage> {
  const { format, orientation = 1, pages = 1, width, height } = await open(bytes).metadata();
  if (!READABLE_FORMATS.has(format)) throw new Error(`a file that turned out to be ${format}`);
  if (edit) return encode(open(bytes).autoOrient(), edit);
  if (!isKept(format)) return encode(open(bytes).autoOrient(), { format: 'png' });
  if (orientation > 1 || pages > 1) return encode(open(bytes).autoOrient(), { format });
  // The output is small to save memory; every pixel of the file is decoded nevertheless.
  await open(bytes).resize(16, 16, { fit: 'fill', fastShrinkOnLoad: false }).raw().toBuffer();
  return { format, width, height };
}

function isKept(format: string): format is ImageFormat {
  return format === 'png' || format === 'jpeg' || format === 'webp';
}

function open(bytes: Uint8Array): Sharp {
  const image = sharp(bytes, { failOn: 'error', limitInputPixels: MAX_PIXELS, sequentialRead: true });
  return image.timeout({ seconds: TIMEOUT_S });
}

async function encode(image: Sharp, { format, quality, extract, resize }: ImageEdit): Promise<DecodedImage> {
  if (extract) image.extract(extract);
  if (resize) image.resize(resize);
  const encoded =
    format === 'png'
      ? image.png()
      : format === 'webp'
        ? image.webp({ quality: quality ?? 95 })
        : image.flatten({ background: '#fff' }).jpeg({ quality: quality ?? 92, mozjpeg: false });
  const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
  return { bytes: data, format, width: info.width, height: info.height };
}
