import {
  type Dimensions,
  findNearestRatio,
  type Image,
  parseRatio,
  readImage,
  UnreadableImageError,
} from '../images/index.ts';

/** Thrown if an image to edit, or its mask, can't be used. */
export class InvalidSourceError extends UnreadableImageError {
  override readonly name = 'InvalidSourceError';
  /** Field of the request: `image`, `image[1]` or `mask`. */
  readonly field: string;
  /** @param problem completes a sentence that begins with the field's name. */
  constructor(field: string, problem: string, options?: ErrorOptions) {
    super(`'${field}' ${problem}.`, options);
    this.field = field;
  }
}

interface Sources {
  readonly sources: readonly Buffer[];
  readonly mask: Buffer | undefined;
}

/**
 * Decodes the images of an edit completely, one after the other, and returns them in formats that every model accepts.
 * `ratio` is the nearest of `ASPECT_RATIOS` to the first one.
 * @throws InvalidSourceError; the signal's reason.
 */
export async function readSources(
  { sources, mask }: Sources,
  signal: AbortSignal,
): Promise<Sources & { readonly ratio: Dimensions }> {
  const images: Image[] = [];
  for (const [index, source] of sources.entries()) {
    images.push(await read(source, sources.length === 1 ? 'image' : `image[${index}]`));
    signal.throwIfAborted();
  }
  const first = images[0] ?? { width: 1, height: 1 };
  return {
    sources: images.map(({ bytes }) => bytes),
    mask: mask && (await readMask(mask, first)),
    ratio: parseRatio(findNearestRatio(first)) ?? first,
  };
}

async function readMask(file: Buffer, { width, height }: Dimensions): Promise<Buffer> {
  const mask = await read(file, 'mask');
  if (mask.format !== 'png') throw new InvalidSourceError('mask', 'must be a PNG file');
  if (mask.width === width && mask.height === height) return mask.bytes;
  const sizes = `${mask.width}x${mask.height} pixels instead of ${width}x${height}`;
  throw new InvalidSourceError('mask', `must have the size of the first image: it has ${sizes}`);
}

async function read(file: Buffer, field: string): Promise<Image> {
  try {
    return await readImage(file);
  } catch (error) {
    if (!(error instanceof UnreadableImageError)) throw error;
    throw new InvalidSourceError(field, `can't be read: ${error.message}`, { cause: error });
  }
}
