import { createHash } from 'node:crypto';
import type { PictureSize } from '../../image-model.ts';

const BUBBLES = 7;

/** Coloured bubbles on a gradient as SVG: the same for the same prompt, seed and size. `opacity` from 0 to 1. */
export function composeGround(prompt: string, seed: number, { width, height }: PictureSize, opacity = 1): string {
  // Each part of the picture has bytes of its own: they stand for numbers from 0 to 1.
  const numbers = [...createHash('sha256').update(`${seed}\n${prompt}`).digest()].map((byte) => byte / 255);
  const [hue = 0, turn = 0, ...rest] = numbers;
  const bubbles = Array.from({ length: BUBBLES }, (_, index) => {
    const [x = 0, y = 0, size = 0, shade = 0] = rest.slice(4 * index);
    const radius = Math.min(width, height) * (0.08 + 0.22 * size);
    return `<circle cx="${x * width}" cy="${y * height * 0.8}" r="${radius}" fill="hsl(${360 * (hue + shade / 3)},70%,70%)" opacity="0.35"/>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    `<defs><linearGradient id="ground" gradientTransform="rotate(${90 * turn})">`,
    `<stop offset="0" stop-color="hsl(${360 * hue},60%,40%)"/><stop offset="1" stop-color="hsl(${360 * hue + 70},65%,60%)"/>`,
    `</linearGradient></defs><g opacity="${opacity}"><rect width="100%" height="100%" fill="url(#ground)"/>`,
    ...bubbles,
    '</g></svg>',
  ].join('');
}
