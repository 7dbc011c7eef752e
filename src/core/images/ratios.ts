import type { Dimensions } from './decode-image.ts';

/** Supported aspect ratios, width to height, as written in requests. */
export const ASPECT_RATIOS: readonly string[] = [
  '1:1',
  '16:9',
  '21:9',
  '3:2',
  '2:3',
  '4:5',
  '5:4',
  '3:4',
  '4:3',
  '9:16',
  '9:21',
];

/** Returns the one of `ASPECT_RATIOS` that is nearest to the sides: it needs the least cropping. */
export function findNearestRatio(sides: Dimensions): string {
  const distance = (name: string) => {
    const { width, height } = parseRatio(name) ?? { width: 1, height: 1 };
    return Math.abs(Math.log((sides.width * height) / (sides.height * width)));
  };
  return ASPECT_RATIOS.reduce((nearest, name) => (distance(name) < distance(nearest) ? name : nearest));
}

/** Default ratio: one of `ASPECT_RATIOS`. */
export const DEFAULT_RATIO = '1:1';

/** Parses one of `ASPECT_RATIOS`; undefined for any other text. */
export function parseRatio(text: string): Dimensions | undefined {
  if (!ASPECT_RATIOS.includes(text)) return undefined;
  const [width, height] = text.split(':').map(Number);
  return width === undefined || height === undefined ? undefined : { width, height };
}
