import type { PictureSize } from '../../image-model.ts';

/** The light of a scene. */
export interface Colours {
  /** From above to the horizon. */
  readonly sky: readonly [string, string, string];
  readonly light: string;
  /** The farthest land and the nearest. */
  readonly far: Rgb;
  readonly near: Rgb;
  readonly isNight: boolean;
}

/** Red, green and blue, from 0 to 255. */
type Rgb = readonly [number, number, number];

/** What every brush needs to know. */
export interface Stage extends PictureSize {
  /** The shorter side. */
  readonly unit: number;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly colours: Colours;
}

/** The sun, or at night the moon, and its glow (the gradient `glow`). */
export function drawSunOrMoon({ width, height, unit, random, colours }: Stage): string {
  const x = round(width * between(random, 0.18, 0.82));
  const y = round(height * between(random, 0.14, 0.36));
  const radius = round(unit * between(random, 0.06, 0.09));
  const craters = colours.isNight
    ? [-0.4, 0.3, 0.1].map((at, index) => {
        const [cx, cy, r] = [x + at * radius, y + (index - 1) * 0.45 * radius, radius * (0.12 + index * 0.04)];
        return `<circle cx="${round(cx)}" cy="${round(cy)}" r="${round(r)}" fill="#000" opacity="0.08"/>`;
      })
    : [];
  return [
    `<circle cx="${x}" cy="${y}" r="${round(radius * 4)}" fill="url(#glow)"/>`,
    `<circle cx="${x}" cy="${y}" r="${radius}" fill="${colours.light}"/>`,
    ...craters,
  ].join('');
}

/** Stars in the upper part. */
export function drawStars({ width, height, unit, random }: Stage): string {
  return times(130, () => {
    const [x, y, r] = [random() * width, random() * height * 0.6, unit * between(random, 0.0008, 0.0026)];
    return `<circle cx="${round(x)}" cy="${round(y)}" r="${round(r)}" fill="#fff" opacity="${round(between(random, 0.3, 1))}"/>`;
  });
}

/** A few thin clouds. */
export function drawClouds({ width, height, unit, random }: Stage): string {
  return times(3 + Math.floor(random() * 3), () => {
    const [x, y, size] = [random() * width, height * between(random, 0.06, 0.4), unit * between(random, 0.03, 0.07)];
    const puffs = [-1.6, -0.8, 0, 0.9, 1.7].map((at) => {
      const r = size * between(random, 0.6, 1.1) * (1 - Math.abs(at) * 0.25);
      return `<ellipse cx="${round(x + at * size)}" cy="${round(y - r * 0.3)}" rx="${round(r * 1.5)}" ry="${round(r * 0.7)}"/>`;
    });
    return `<g fill="#fff" opacity="0.3">${puffs.join('')}</g>`;
  });
}

/** A chain of hills around `level` of the height, `nearness` from 0 (at the horizon) to 1 (in front). */
export function drawHills(
  { width, height, random, colours }: Stage,
  level: number,
  swing: number,
  nearness: number,
): string {
  const count = 5 + Math.floor(random() * 4);
  const step = width / (count - 1);
  const points = Array.from({ length: count + 1 }, (_, index) => ({
    x: round((index - 0.5) * step),
    y: round(height * (level + (random() - 0.5) * swing)),
  }));
  const curves = points.slice(0, -1).map(({ x, y }, index) => {
    const next = points[index + 1] ?? { x, y };
    return `Q${x} ${y} ${round((x + next.x) / 2)} ${round((y + next.y) / 2)}`;
  });
  const first = points[0] ?? { x: 0, y: height };
  return `<path d="M${-width} ${height}L${-width} ${first.y}L${first.x} ${first.y}${curves.join('')}L${2 * width} ${points.at(-1)?.y ?? height}L${2 * width} ${height}Z" fill="${mix(colours.far, colours.near, nearness)}"/>`;
}

/** Water with waves and a sailing boat. */
export function drawSea({ width, height, unit, random, colours }: Stage): string {
  const top = height * 0.6;
  const [x, size] = [width * between(random, 0.2, 0.8), unit * 0.09];
  const boat = [
    `<path d="M${round(x - size)} ${round(top + size)}h${round(size * 2)}l${round(-size * 0.4)} ${round(size * 0.35)}h${round(-size * 1.2)}z" fill="#5b3a29"/>`,
    `<path d="M${round(x)} ${round(top - size * 0.9)}v${round(size * 1.75)}h${round(size * 0.85)}z" fill="#fff"/>`,
    `<path d="M${round(x - size * 0.1)} ${round(top - size * 0.6)}v${round(size * 1.45)}h${round(-size * 0.6)}z" fill="#f1d9c0"/>`,
  ];
  const waves = times(46, () => {
    const depth = random();
    const y = top + depth * (height - top);
    const length = unit * (0.02 + depth * 0.12);
    return `<rect x="${round(random() * width - length / 2)}" y="${round(y)}" width="${round(length)}" height="${round(unit * (0.002 + depth * 0.004))}" rx="2" fill="#fff" opacity="${round(between(random, 0.12, 0.4))}"/>`;
  });
  const water = colours.isNight ? '#16265c' : '#2b78a8';
  return `<rect y="${round(top)}" width="${width}" height="${round(height - top)}" fill="${water}"/>${waves}${boat.join('')}`;
}

/** Firs along a line at `level` of the height. */
export function drawForest({ width, height, unit, random, colours }: Stage, level: number): string {
  const count = Math.ceil((width / unit) * 26);
  return times(count, (index) => {
    const x = ((index + random()) / count) * width;
    const tall = unit * between(random, 0.1, 0.2);
    const foot = height * level + unit * between(random, 0, 0.06);
    const green = mix(colours.isNight ? [10, 26, 36] : [22, 62, 48], colours.near, random() * 0.25);
    const tiers = [0, 1, 2].map((tier) => {
      const [top, base, half] = [
        foot - tall * (1 - tier * 0.22),
        foot - tall * (0.5 - tier * 0.25),
        tall * (0.13 + tier * 0.06),
      ];
      return `M${round(x)} ${round(top)}L${round(x + half)} ${round(base)}H${round(x - half)}Z`;
    });
    return `<path d="${tiers.join('')}" fill="${green}"/>`;
  });
}

/** Houses with windows that stand at `level` of the height. */
export function drawCity({ width, height, unit, random, colours }: Stage, level: number): string {
  const count = Math.ceil((width / unit) * 12);
  const foot = height * level;
  return times(count, (index) => {
    const wide = (width / count) * between(random, 0.7, 1.15);
    const tall = unit * between(random, 0.12, 0.38);
    const x = (index / count) * width;
    const pane = unit * 0.008;
    const windows = Array.from({ length: Math.floor(tall / (pane * 3)) }, (_, row) =>
      Array.from({ length: Math.floor(wide / (pane * 3)) }, (_, column) =>
        random() < 0.5
          ? `M${round(x + pane * (1.5 + column * 3))} ${round(foot - tall + pane * (1.5 + row * 3))}h${round(pane)}v${round(pane * 1.4)}h${round(-pane)}z`
          : '',
      ).join(''),
    ).join('');
    const wall = mix([120, 128, 156], colours.isNight ? [18, 22, 46] : [58, 66, 98], random() * 0.5 + 0.5);
    return `<rect x="${round(x)}" y="${round(foot - tall)}" width="${round(wide)}" height="${round(tall + unit * 0.1)}" fill="${wall}"/><path d="${windows}" fill="#ffe39a" opacity="${colours.isNight ? 0.9 : 0.45}"/>`;
  });
}

/** Falling snow, all over the picture. */
export function drawSnow({ width, height, unit, random }: Stage): string {
  return times(150, () => {
    const [x, y, r] = [random() * width, random() * height, unit * between(random, 0.002, 0.006)];
    return `<circle cx="${round(x)}" cy="${round(y)}" r="${round(r)}" fill="#fff" opacity="${round(between(random, 0.5, 0.95))}"/>`;
  });
}

interface Coat {
  readonly fur: string;
  readonly chest: string;
  readonly tip: string;
  readonly eye: string;
}

/** Of the animal that the word `fox` brings. */
export const FOX: Coat = { fur: '#e2672a', chest: '#fff4e6', tip: '#fff4e6', eye: '#2a1a12' };
/** Of the animal that the word `cat` brings. */
export const CAT: Coat = { fur: '#2e2c36', chest: '#4a4754', tip: '#2e2c36', eye: '#ffd24a' };

/** It sits on the nearest hill and looks at us; drawn in a square of 100. */
export function drawAnimal({ width, height, unit, random }: Stage, { fur, chest, tip, eye }: Coat): string {
  const scale = unit * 0.0032;
  const x = width * between(random, 0.3, 0.7) - 50 * scale;
  const y = height * 0.77 - 88 * scale;
  return [
    `<g transform="translate(${round(x)} ${round(y)}) scale(${round(scale)})">`,
    `<path d="M62 92C92 98 100 74 88 52C86 72 78 80 62 82Z" fill="${fur}"/><path d="M88 52C84 60 85 66 82 72C90 72 95 66 88 52Z" fill="${tip}"/>`,
    `<path d="M50 36C30 44 24 84 30 98H70C76 84 70 44 50 36Z" fill="${fur}"/><path d="M50 46C40 54 40 72 50 80C60 72 60 54 50 46Z" fill="${chest}"/>`,
    `<path d="M28 26L25 0L46 15ZM72 26L75 0L54 15Z" fill="${fur}"/><path d="M30 20L28 6L39 14ZM70 20L72 6L61 14Z" fill="${chest}"/>`,
    `<path d="M24 28Q50 4 76 28Q68 46 50 54Q32 46 24 28Z" fill="${fur}"/><path d="M24 28Q40 32 50 46Q60 32 76 28Q68 46 50 54Q32 46 24 28Z" fill="${chest}"/>`,
    `<circle cx="39" cy="28" r="3.2" fill="${eye}"/><circle cx="61" cy="28" r="3.2" fill="${eye}"/><circle cx="39.5" cy="28" r="1.4" fill="#000"/><circle cx="60.5" cy="28" r="1.4" fill="#000"/>`,
    '<circle cx="50" cy="50" r="3.4" fill="#1c1512"/></g>',
  ].join('');
}

function between(random: () => number, low: number, high: number): number {
  return low + random() * (high - low);
}

function times(count: number, draw: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => draw(index)).join('');
}

function mix(from: Rgb, to: Rgb, share: number): string {
  const [red, green, blue] = [0, 1, 2].map((channel) =>
    Math.round((from[channel] ?? 0) * (1 - share) + (to[channel] ?? 0) * share),
  );
  return `rgb(${red},${green},${blue})`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
