import type { Dimensions, decodeImage, ImageEdit, ImageFormat } from './decode-image.ts';
import { decodeInChild, UnreadableImageError } from './decode-in-child.ts';

/** A completely decoded, valid image file. */
export interface Image {
  readonly bytes: Buffer;
  readonly format: ImageFormat;
  /** Pixels after applying the orientation in the file's metadata. */
  readonly width: number;
  readonly height: number;
}

/**
 * Decodes an image completely. PNG, JPEG and WebP files stay unchanged; GIF, AVIF and TIFF become PNG. Of animations
 * only the first frame is kept, and the orientation is applied. Other formats are rejected, in particular SVG.
 * @throws UnreadableImageError; QueueFullError, like all functions here that decode an image.
 */
export async function readImage(bytes: Buffer): Promise<Image> {
  return decode(bytes, undefined, decodeInChild);
}

/**
 * Crops an image to the largest centred part that has exactly this ratio. Returns the same file if it has the ratio
 * already.
 */
export async function cropToRatio(image: Image, ratio: Dimensions, decoder = decodeInChild): Promise<Image> {
  const divisor = greatestCommonDivisor(ratio.width, ratio.height);
  const unit = { width: ratio.width / divisor, height: ratio.height / divisor };
  const scale = Math.floor(Math.min(image.width / unit.width, image.height / unit.height));
  // Images smaller than the ratio's own numbers have no such part.
  const size = { width: unit.width * Math.max(1, scale), height: unit.height * Math.max(1, scale) };
  return scaleToCover(image, size, { withoutScaling: scale >= 1, decoder });
}

/**
 * Scales an image to cover a size and crops it, centred, to exactly this size. Returns the same file if it has the size
 * already.
 */
export async function coverSize(image: Image, size: Dimensions): Promise<Image> {
  return scaleToCover(image, size, { withoutScaling: false, decoder: decodeInChild });
}

async function scaleToCover(
  image: Image,
  size: Dimensions,
  { withoutScaling, decoder }: { readonly withoutScaling: boolean; readonly decoder: typeof decodeImage },
): Promise<Image> {
  if (image.width === size.width && image.height === size.height) return image;
  const extract = {
    left: Math.floor((image.width - size.width) / 2),
    top: Math.floor((image.height - size.height) / 2),
    ...size,
  };
  const cut = withoutScaling ? { extract } : { resize: { ...size, fit: 'cover', position: 'centre' } as const };
  return decode(image.bytes, { ...cut, format: image.format }, decoder);
}

/** Converts an image to another format. Transparency becomes white in JPEG. */
export async function convertImage(image: Image, format: ImageFormat): Promise<Image> {
  return image.format === format ? image : decode(image.bytes, { format }, decodeInChild);
}

/**
 * Converts a user's image to a WebP for web pages: no side longer than `maxSide`, and no metadata (location, date,
 * camera).
 */
export async function shrinkForPage(bytes: Buffer, maxSide: number): Promise<Buffer> {
  const size = { width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true } as const;
  const edit = { resize: { ...size, fastShrinkOnLoad: false }, format: 'webp', quality: 80 } as const;
  return (await decode(bytes, edit, decodeInChild)).bytes;
}

/** Maximum values of an image. */
export interface ImageLimits {
  readonly maxBytes: number;
  /** Sum of width and height in pixels. */
  readonly maxSideSum: number;
  /** Longer side divided by shorter side. */
  readonly maxRatio: number;
}

/**
 * Returns the same file if it is within the limits, otherwise the best JPEG that is. Images that are too long get white
 * margins.
 */
export async function limitImage(image: Image, limits: ImageLimits, decoder = decodeInChild): Promise<Image> {
  if (isWithin(image, limits)) return image;
  const padded = toPadded(image, limits.maxRatio);
  let scale = Math.min(1, limits.maxSideSum / (padded.width + padded.height));
  for (;;) {
    const size = toWithinRatio(padded, scale, limits.maxRatio);
    const resize = { ...size, fit: 'contain', background: '#fff' } as const;
    const limited = await decode(image.bytes, { resize, format: 'jpeg' }, decoder);
    if (limited.bytes.length <= limits.maxBytes || size.width + size.height <= 2) return limited;
    scale *= 0.8;
  }
}

function isWithin({ bytes, width, height }: Image, limits: ImageLimits): boolean {
  return (
    bytes.length <= limits.maxBytes &&
    width + height <= limits.maxSideSum &&
    Math.max(width, height) <= Math.min(width, height) * limits.maxRatio
  );
}

function toPadded({ width, height }: Dimensions, maxRatio: number): Dimensions {
  return {
    width: Math.max(width, Math.ceil(height / maxRatio)),
    height: Math.max(height, Math.ceil(width / maxRatio)),
  };
}

/** Scales down to integers; rounding must not exceed the maximum ratio. */
function toWithinRatio({ width, height }: Dimensions, scale: number, maxRatio: number): Dimensions {
  const scaled = { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
  return {
    width: Math.min(scaled.width, Math.floor(scaled.height * maxRatio)),
    height: Math.min(scaled.height, Math.floor(scaled.width * maxRatio)),
  };
}

/** File signatures of the accepted formats. */
const SIGNATURES: readonly (readonly (readonly [offset: number, text: string])[])[] = [
  [[0, '\x89PNG\r\n\x1a\n']],
  [[0, '\xff\xd8\xff']],
  [
    [0, 'RIFF'],
    [8, 'WEBP'],
  ],
  [[0, 'GIF8']],
  // AVIF and other HEIF files.
  [
    [0, '\0\0'],
    [4, 'ftyp'],
  ],
  // TIFF in both byte orders.
  [[0, 'II*\0']],
  [[0, 'MM\0*']],
];

/**
 * Checks the file signature. The decoding library detects formats by itself, but supports more of them, some of which
 * are unsafe: it must not even start to decode those.
 */
function isImageFile(bytes: Buffer): boolean {
  const head = bytes.toString('latin1', 0, 16);
  return SIGNATURES.some((parts) => parts.every(([offset, text]) => head.startsWith(text, offset)));
}

async function decode(bytes: Buffer, edit: ImageEdit | undefined, decoder: typeof decodeImage): Promise<Image> {
  if (!isImageFile(bytes)) throw new UnreadableImageError('the file is not an image of a supported format');
  const decoded = await decoder({ bytes, ...(edit && { edit }) });
  const file = decoded.bytes;
  return { ...decoded, bytes: file ? Buffer.from(file.buffer, file.byteOffset, file.byteLength) : bytes };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
