import sharp, { type Sharp } from 'sharp';

/** The file formats in which pictures leave this module. */
export type PictureFormat = 'png' | 'jpeg' | 'webp';

/** A picture file that is known to be whole. */
export interface Picture {
  readonly bytes: Buffer;
  readonly format: PictureFormat;
  /** Pixels, as it is shown: an orientation in the file's metadata is taken into account. */
  readonly width: number;
  readonly height: number;
}

/** Whole numbers; for ratios not necessarily in lowest terms. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

/** The bytes are no picture, or only a part of one, or more pixels than are taken. */
export class UnreadablePictureError extends Error {
  override readonly name = 'UnreadablePictureError';
}

/** Room for the largest photos of telephones. Decoding takes up to 12 bytes for each (a progressive JPEG, the worst case). */
const MAX_PIXELS = 50 * 2 ** 20;
/** Time for one operation on a picture: far more than the largest takes. */
const TIMEOUT_S = 60;

/**
 * Decodes a picture to its end. PNG, JPEG and WebP stay the file that they are; GIF, AVIF and TIFF become PNG. Of
 * animations the first frame is taken, and what is shown turned is turned. Nothing else is tried, least of all SVG.
 * @throws UnreadablePictureError
 */
export async function readPicture(bytes: Buffer): Promise<Picture> {
  if (!isPictureFile(bytes)) throw new UnreadablePictureError('the file is no picture of a format that is taken');
  try {
    const { format, orientation = 1, pages = 1, width, height } = await open(bytes).metadata();
    if (!READABLE_FORMATS.has(format)) throw new Error(`a file that turned out to be ${format}`);
    if (!isKept(format)) return await encode(open(bytes).autoOrient(), 'png');
    if (orientation > 1 || pages > 1) return await encode(open(bytes).autoOrient(), format);
    // Small enough to cost no memory; every pixel of the file is read nevertheless.
    await open(bytes).resize(16, 16, { fit: 'fill', fastShrinkOnLoad: false }).raw().toBuffer();
    return { bytes, format, width, height };
  } catch (error) {
    throw new UnreadablePictureError('the picture is broken, or too large to be read', { cause: error });
  }
}

/** The largest part around the centre that has exactly this ratio; the same file where it has it already. */
export async function cropToRatio(picture: Picture, ratio: Dimensions): Promise<Picture> {
  const divisor = greatestCommonDivisor(ratio.width, ratio.height);
  const unit = { width: ratio.width / divisor, height: ratio.height / divisor };
  const scale = Math.floor(Math.min(picture.width / unit.width, picture.height / unit.height));
  // Only a picture smaller than the ratio's own numbers has no such part.
  const size = { width: unit.width * Math.max(1, scale), height: unit.height * Math.max(1, scale) };
  return scaleToCover(picture, size, { withoutScaling: scale >= 1 });
}

/** Scaled so that it covers this size, and cut around the centre to exactly this size; the same file where it has it already. */
export async function coverSize(picture: Picture, size: Dimensions): Promise<Picture> {
  return scaleToCover(picture, size, { withoutScaling: false });
}

async function scaleToCover(
  picture: Picture,
  size: Dimensions,
  { withoutScaling }: { readonly withoutScaling: boolean },
): Promise<Picture> {
  if (picture.width === size.width && picture.height === size.height) return picture;
  const image = open(picture.bytes);
  const cut = withoutScaling
    ? image.extract({
        left: Math.floor((picture.width - size.width) / 2),
        top: Math.floor((picture.height - size.height) / 2),
        ...size,
      })
    : image.resize({ ...size, fit: 'cover', position: 'centre' });
  return encode(cut, picture.format);
}

/** The same picture as another kind of file. What JPEG can't show through becomes white. */
export async function convertPicture(picture: Picture, format: PictureFormat): Promise<Picture> {
  return picture.format === format ? picture : encode(open(picture.bytes), format);
}

/** A picture file of people as a WebP for pages: no side longer than this, and nothing of its metadata (places, dates, cameras). */
export async function shrinkForPage(bytes: Buffer, maxSide: number): Promise<Buffer> {
  const picture = await readPicture(bytes);
  const size = { width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true } as const;
  return open(picture.bytes).autoOrient().resize(size).webp({ quality: 80 }).toBuffer();
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
export async function limitPicture(picture: Picture, limits: PictureLimits): Promise<Picture> {
  if (isWithin(picture, limits)) return picture;
  const padded = toPadded(picture, limits.maxRatio);
  let scale = Math.min(1, limits.maxSideSum / (padded.width + padded.height));
  for (;;) {
    const size = toWithinRatio(padded, scale, limits.maxRatio);
    const image = open(picture.bytes).resize({ ...size, fit: 'contain', background: '#fff' });
    const limited = await encode(image, 'jpeg');
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

const READABLE_FORMATS: ReadonlySet<string> = new Set(['png', 'jpeg', 'webp', 'gif', 'heif', 'tiff']);

function isKept(format: string): format is PictureFormat {
  return format === 'png' || format === 'jpeg' || format === 'webp';
}

function open(bytes: Buffer): Sharp {
  const image = sharp(bytes, { failOn: 'error', limitInputPixels: MAX_PIXELS, sequentialRead: true });
  return image.timeout({ seconds: TIMEOUT_S });
}

async function encode(image: Sharp, format: PictureFormat): Promise<Picture> {
  const encoded =
    format === 'png'
      ? image.png()
      : format === 'webp'
        ? image.webp({ quality: 95 })
        : image.flatten({ background: '#fff' }).jpeg({ quality: 92, mozjpeg: false });
  const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
  return { bytes: data, format, width: info.width, height: info.height };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
