import type { AspectRatio, ImageRequest, ImageSize } from '../../../core/models/contract/image-model.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { ImagesDialect } from './print-request.ts';

const SQUARE: ImageSize = { width: 1024, height: 1024 };
/** The area that current models were trained on. */
const USUAL_PIXELS = SQUARE.width * SQUARE.height;
const STEP = 32;
const MIN_SIDE = 256;
const MAX_SIDE = 2048;

/**
 * Returns the fields for an image of this shape, the best alternative first: the nearest that the host supports, then a
 * square, which every model supports. The image is cropped later.
 */
export function toShapeWays(
  request: ImageRequest,
  dialect: ImagesDialect,
  familySizes: readonly ImageSize[] | undefined,
): readonly JsonObject[] {
  if (dialect.shape === 'aspect_ratio') return [{ aspect_ratio: toRatioName(request.ratio, dialect.ratios) }];
  const sizes = dialect.sizes ?? familySizes;
  const size = sizes ? nearestSize(request, sizes) : freeSize(request);
  return [size, SQUARE].map(({ width, height }) =>
    dialect.shape === 'width-and-height' ? { width, height } : { [dialect.shape ?? 'size']: `${width}x${height}` },
  );
}

/** Returns `16:9`, or the nearest of the supported ratios. */
export function toRatioName(ratio: AspectRatio, known?: readonly AspectRatio[]): string {
  const { width, height } = nearest(known ?? [ratio], (one) => distance(one, ratio));
  return `${width}:${height}`;
}

/** Returns the smallest size with the nearest ratio that covers the requested size, else the largest one. */
function nearestSize({ ratio, size }: ImageRequest, sizes: readonly ImageSize[]): ImageSize {
  const closest = nearest(sizes, (one) => distance(one, ratio));
  const largestFirst = sizes
    .filter((one) => distance(one, closest) < 0.01)
    .sort((a, b) => b.width * b.height - a.width * a.height);
  const covering = size && largestFirst.findLast((one) => one.width >= size.width && one.height >= size.height);
  return covering ?? largestFirst[0] ?? closest;
}

/** Returns the requested size, else about a megapixel, in multiples that models support. */
function freeSize({ ratio, size }: ImageRequest): ImageSize {
  if (size && isUsual(size)) {
    return { width: Math.ceil(size.width / 16) * 16, height: Math.ceil(size.height / 16) * 16 };
  }
  const candidates: ImageSize[] = [];
  for (let width = MIN_SIDE; width <= MAX_SIDE; width += STEP) {
    const height = Math.round((width * ratio.height) / ratio.width / STEP) * STEP;
    candidates.push({ width, height: Math.min(MAX_SIDE, Math.max(MIN_SIDE, height)) });
  }
  // Balances ratio against area: a wrong ratio crops a strip of the image, an unusual area affects all of it.
  return nearest(
    candidates,
    (one) => 8 * distance(one, ratio) + Math.abs(Math.log((one.width * one.height) / USUAL_PIXELS)),
  );
}

function isUsual({ width, height }: ImageSize): boolean {
  return (
    Math.min(width, height) >= MIN_SIDE && Math.max(width, height) <= MAX_SIDE && width * height <= 2 * USUAL_PIXELS
  );
}

/** Returns the distance between two ratios; 0 if they are equal. */
function distance(a: AspectRatio, b: AspectRatio): number {
  return Math.abs(Math.log((a.width * b.height) / (a.height * b.width)));
}

function nearest<Item extends AspectRatio>(items: readonly Item[], toDistance: (item: Item) => number): Item {
  return items.reduce((best, item) => (toDistance(item) < toDistance(best) ? item : best));
}
