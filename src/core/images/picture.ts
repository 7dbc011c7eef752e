import { decodeInChild, UnreadablePictureError } from './decode-in-child.ts';
import type { Dimensions, decodePicture, PictureEdit, PictureFormat } from './decode-picture.ts';

/** A picture file that is known to be whole. */
export interface Picture {
  readonly bytes: Buffer;
  readonly format: PictureFormat;
  /** Pixels, as it is shown: an orientation in the file's metadata is taken into account. */
  readonly width: number;
  readonly height: number;
}

/**
 * Decodes a picture to its end. PNG, JPEG and WebP stay the file that they are; GIF, AVIF and TIFF become PNG. Of
 * animations the first frame is taken, and what is shown turned is turned. Nothing else is tried, least of all SVG.
 * @throws UnreadablePictureError; QueueFullError, as everything here that decodes a picture.
 */
export async function readPicture(bytes: Buffer): Promise<Picture> {
  return decode(bytes, undefined, decodeInChild);
}

/** The largest part around the centre that has exactly this ratio; the same file where it has it already. */
export async function cropToRatio(picture: Picture, ratio: Dimensions, decoder = decodeInChild): Promise<Picture> {
  const divisor = greatestCommonDivisor(ratio.width, ratio.height);
  const unit = { width: ratio.width / divisor, height: ratio.height / divisor };
  const scale = Math.floor(Math.min(picture.width / unit.width, picture.height / unit.height));
  // Only a picture smaller than the ratio's own numbers has no such part.
  const size = { width: unit.width * Math.max(1, scale), height: unit.height * Math.max(1, scale) };
  return scaleToCover(picture, size, { withoutScaling: scale >= 1, decoder });
}

/** Scaled so that it covers this size, and cut around the centre to exactly this size; the same file where it has it already. */
export async function coverSize(picture: Picture, size: Dimensions): Promise<Picture> {
  return scaleToCover(picture, size, { withoutScaling: false, decoder: decodeInChild });
}

async function scaleToCover(
  picture: Picture,
  size: Dimensions,
  { withoutScaling, decoder }: { readonly withoutScaling: boolean; readonly decoder: typeof decodePicture },
): Promise<Picture> {
  if (picture.width === size.width && picture.height === size.height) return picture;
  const extract = {
    left: Math.floor((picture.width - size.width) / 2),
    top: Math.floor((picture.height - size.height) / 2),
    ...size,
  };
  const cut = withoutScaling ? { extract } : { resize: { ...size, fit: 'cover', position: 'centre' } as const };
  return decode(picture.bytes, { ...cut, format: picture.format }, decoder);
}

/** The same picture as another kind of file. What JPEG can't show through becomes white. */
export async function convertPicture(picture: Picture, format: PictureFormat): Promise<Picture> {
  return picture.format === format ? picture : decode(picture.bytes, { format }, decodeInChild);
}

/** A picture file of people as a WebP for pages: no side longer than this, and nothing of its metadata (places, dates, cameras). */
export async function shrinkForPage(bytes: Buffer, maxSide: number): Promise<Buffer> {
  const size = { width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true } as const;
  const edit = { resize: { ...size, fastShrinkOnLoad: false }, format: 'webp', quality: 80 } as const;
  return (await decode(bytes, edit, decodeInChild)).bytes;
}

/** What somebody takes at most. */
export interface PictureLimits {
  readonly maxBytes: number;
  /** Width and height together, pixels. */
  readonly maxSideSum: number;
  /** The longer side to the shorter. */
  readonly maxRatio: number;
}

/** The same file where it keeps the limits; else a JPEG that does, as good as can be. Too long ones get white margins. */
export async function limitPicture(picture: Picture, limits: PictureLimits, decoder = decodeInChild): Promise<Picture> {
  if (isWithin(picture, limits)) return picture;
  const padded = toPadded(picture, limits.maxRatio);
  let scale = Math.min(1, limits.maxSideSum / (padded.width + padded.height));
  for (;;) {
    const size = toWithinRatio(padded, scale, limits.maxRatio);
    const resize = { ...size, fit: 'contain', background: '#fff' } as const;
    const limited = await decode(picture.bytes, { resize, format: 'jpeg' }, decoder);
    if (limited.bytes.length <= limits.maxBytes || size.width + size.height <= 2) return limited;
    scale *= 0.8;
  }
}

function isWithin({ bytes, width, height }: Picture, limits: PictureLimits): boolean {
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

/** Scaled down to whole pixels; rounding must not make the picture longer than it may be. */
function toWithinRatio({ width, height }: Dimensions, scale: number, maxRatio: number): Dimensions {
  const scaled = { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
  return {
    width: Math.min(scaled.width, Math.floor(scaled.height * maxRatio)),
    height: Math.min(scaled.height, Math.floor(scaled.width * maxRatio)),
  };
}

/** What files of the formats that are taken hold at these places. */
const SIGNATURES: readonly (readonly (readonly [offset: number, text: string])[])[] = [
  [[0, '\x89PNG\r\n\x1a\n']],
  [[0, '\xff\xd8\xff']],
  [
    [0, 'RIFF'],
    [8, 'WEBP'],
  ],
  [[0, 'GIF8']],
  // AVIF and its kin.
  [
    [0, '\0\0'],
    [4, 'ftyp'],
  ],
  // TIFF in both byte orders.
  [[0, 'II*\0']],
  [[0, 'MM\0*']],
];

/**
 * The library behind finds the format out by itself, but it knows more of them, and some are programs rather than
 * pictures: it must not even begin to read those.
 */
function isPictureFile(bytes: Buffer): boolean {
  const head = bytes.toString('latin1', 0, 16);
  return SIGNATURES.some((parts) => parts.every(([offset, text]) => head.startsWith(text, offset)));
}

async function decode(bytes: Buffer, edit: PictureEdit | undefined, decoder: typeof decodePicture): Promise<Picture> {
  if (!isPictureFile(bytes)) throw new UnreadablePictureError('the file is no picture of a format that is taken');
  const decoded = await decoder({ bytes, ...(edit && { edit }) });
  const file = decoded.bytes;
  return { ...decoded, bytes: file ? Buffer.from(file.buffer, file.byteOffset, file.byteLength) : bytes };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
