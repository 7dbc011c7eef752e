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

/** Default ratio: one of `ASPECT_RATIOS`. */
export const DEFAULT_RATIO = '1:1';

/** Parses one of `ASPECT_RATIOS`; undefined for any other text. */
export function parseRatio(text: string): Dimensions | undefined {
  if (!ASPECT_RATIOS.includes(text)) return undefined;
  const [width, height] = text.split(':').map(Number);
  return width === undefined || height === undefined ? undefined : { width, height };
}
