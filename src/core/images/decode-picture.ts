import sharp, { type ResizeOptions, type Sharp } from 'sharp';

/** The file formats in which pictures leave this module. */
export type PictureFormat = 'png' | 'jpeg' | 'webp';

/** Whole numbers; for ratios not necessarily in lowest terms. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

/** A picture file and what should become of it. */
export interface DecodingTask {
  readonly bytes: Uint8Array;
  /** Unset: the file is read to its end and stays as it is, unless it has to become another one. */
  readonly edit?: PictureEdit;
}

/** A new file of a picture. */
export interface PictureEdit {
  readonly format: PictureFormat;
  /** Of JPEG and WebP, 1 to 100. */
  readonly quality?: number;
  /** The part that is kept. */
  readonly extract?: Dimensions & { readonly left: number; readonly top: number };
  readonly resize?: ResizeOptions;
}

export interface DecodedPicture extends Dimensions {
  readonly format: PictureFormat;
  /** Unset: the file stays as it is. */
  readonly bytes?: Uint8Array | undefined;
}

/** Room for the largest photos of telephones. Decoding takes up to 12 bytes for each (a progressive JPEG, the worst case). */
const MAX_PIXELS = 50 * 2 ** 20;
/** Time for one operation on a picture: far more than the largest takes. */
const TIMEOUT_S = 60;
const READABLE_FORMATS: ReadonlySet<string> = new Set(['png', 'jpeg', 'webp', 'gif', 'heif', 'tiff']);

/** Decodes a picture to its end. The decoders are native programs that foreign bytes may crash: `decodeInChild` contains that. */
export async function decodePicture({ bytes, edit }: DecodingTask): Promise<DecodedPicture> {
  const { format, orientation = 1, pages = 1, width, height } = await open(bytes).metadata();
  if (!READABLE_FORMATS.has(format)) throw new Error(`a file that turned out to be ${format}`);
  if (edit) return encode(open(bytes).autoOrient(), edit);
  if (!isKept(format)) return encode(open(bytes).autoOrient(), { format: 'png' });
  if (orientation > 1 || pages > 1) return encode(open(bytes).autoOrient(), { format });
  // Small enough to cost no memory; every pixel of the file is read nevertheless.
  await open(bytes).resize(16, 16, { fit: 'fill', fastShrinkOnLoad: false }).raw().toBuffer();
  return { format, width, height };
}

function isKept(format: string): format is PictureFormat {
  return format === 'png' || format === 'jpeg' || format === 'webp';
}

function open(bytes: Uint8Array): Sharp {
  const image = sharp(bytes, { failOn: 'error', limitInputPixels: MAX_PIXELS, sequentialRead: true });
  return image.timeout({ seconds: TIMEOUT_S });
}

async function encode(image: Sharp, { format, quality, extract, resize }: PictureEdit): Promise<DecodedPicture> {
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
