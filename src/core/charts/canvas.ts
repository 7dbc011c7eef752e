import sharp, { type OverlayOptions } from 'sharp';
import type { RenderedText } from '../images/index.ts';

/** Sized for phones: large letters, and a ratio that leaves space for the text below the image. */
export const SIZE = { width: 1080, height: 720 };
export const MARGIN = 40;
/** Apps show the time of a photo without a caption in its lower right corner. */
export const BOTTOM_MARGIN = 72;
export const FONT = { title: 42, legend: 30, axis: 30, slanted: 24 };
export const INK = { title: '#1d2433', text: '#5b6577', line: '#e3e7ee', axis: '#8b94a5', ground: '#ffffff' };
/** Minimum distance of letters to the edges. */
export const EDGE = 12;
const COLOURS = ['#2f6fde', '#f08a3c', '#23a08c', '#9a62c7', '#d9508a', '#aeb6c4', '#8a6d3b', '#3aa9d6'];

/** A point of the image and the alignment of a text there. */
interface Anchor {
  readonly x: number;
  readonly y: number;
  /** 0: the left edge, 0.5: the middle, 1: the right edge. */
  readonly align: number;
}

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the colour of a series. */
export function colourOf(series: number): string {
  return COLOURS[series % COLOURS.length] ?? INK.text;
}

/** Returns a text vertically centred at a point, moved into the image if necessary. */
export function placeText(text: RenderedText, { x, y, align }: Anchor): OverlayOptions {
  const left = Math.min(Math.round(x - align * text.width), SIZE.width - EDGE - text.width);
  return { input: text.bytes, left: Math.max(0, left), top: Math.max(0, Math.round(y - text.height / 2)) };
}

export function rectangle({ x, y, width, height }: Rectangle, colour: string): string {
  return `<rect x="${fix(x)}" y="${fix(y)}" width="${fix(width)}" height="${fix(height)}" rx="2" fill="${colour}"/>`;
}

export function horizontalLine(left: number, right: number, y: number, colour: string): string {
  return `<line x1="${fix(left)}" x2="${fix(right)}" y1="${fix(y)}" y2="${fix(y)}" stroke="${colour}" stroke-width="2"/>`;
}

/** Formats a coordinate. */
export function fix(value: number): string {
  return value.toFixed(1);
}

/**
 * Draws SVG shapes and texts on a white background.
 * @returns a PNG.
 */
export function compose(shapes: readonly string[], texts: readonly OverlayOptions[]): Promise<Buffer> {
  const { width, height } = SIZE;
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    `<rect width="${width}" height="${height}" fill="${INK.ground}"/>`,
    ...shapes,
    '</svg>',
  ].join('');
  return sharp(Buffer.from(svg))
    .composite([...texts])
    .removeAlpha()
    .png({ palette: true })
    .toBuffer();
}
