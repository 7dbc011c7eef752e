import { createHash } from 'node:crypto';
import type { PictureSize } from '../../image-model.ts';
import {
  CAT,
  type Colours,
  drawAnimal,
  drawCity,
  drawClouds,
  drawForest,
  drawHills,
  drawSea,
  drawSnow,
  drawStars,
  drawSunOrMoon,
  FOX,
  type Stage,
} from './demo-brushes.ts';

/** A landscape as SVG without a single letter in it: the same for the same prompt, seed and size. */
export function composeScene(prompt: string, seed: number, size: PictureSize): string {
  const { stage, has } = prepare(prompt, seed, size);
  const { isNight } = stage.colours;
  const isLand = !has('sea');
  return svg(stage, [
    `<rect width="${size.width}" height="${size.height}" fill="url(#sky)"/>`,
    isNight ? drawStars(stage) : '',
    drawSunOrMoon(stage),
    isNight ? '' : drawClouds(stage),
    drawHills(stage, 0.5, 0.12, 0.15),
    drawHills(stage, 0.57, 0.09, 0.4),
    has('city') ? drawCity(stage, isLand ? 0.69 : 0.62) : '',
    isLand ? drawHills(stage, 0.65, 0.07, 0.65) : drawSea(stage),
    has('forest') ? drawForest(stage, 0.71) : '',
    isLand || has('fox') || has('cat') ? drawHills(stage, 0.76, 0.05, 0.95) : '',
    has('fox') ? drawAnimal(stage, FOX) : has('cat') ? drawAnimal(stage, CAT) : '',
    has('snow') ? drawSnow(stage) : '',
  ]);
}

/** The light of the scene alone, to be laid over a picture: sky, sun or moon, and snow where the prompt speaks of it. */
export function composeTint(prompt: string, seed: number, size: PictureSize): string {
  const { stage, has } = prepare(prompt, seed, size);
  return svg(stage, [
    `<rect width="${size.width}" height="${size.height}" fill="url(#sky)" opacity="0.45"/>`,
    stage.colours.isNight ? drawStars(stage) : '',
    drawSunOrMoon(stage),
    has('snow') ? drawSnow(stage) : '',
  ]);
}

function prepare(prompt: string, seed: number, { width, height }: PictureSize): { stage: Stage; has: HasMotif } {
  const random = createRandom(`${seed}\n${prompt}`);
  const has: HasMotif = (motif) => MOTIFS[motif].test(prompt);
  return { stage: { width, height, unit: Math.min(width, height), random, colours: chooseColours(has, random) }, has };
}

type HasMotif = (motif: keyof typeof MOTIFS) => boolean;

/** The few words that are understood, in English and Russian. */
const MOTIFS = {
  night: /\b(night|midnight|moon\w*|stars?|starry|dark)\b|(?<!\p{L})(ноч|лун|зв[её]зд|темн)/iu,
  sunset: /\b(sunset|sunrise|dawn|dusk|evening)\b|(?<!\p{L})(закат|рассвет|вечер)/iu,
  snow: /\b(snow\w*|winter|frost\w*|ice|icy)\b|(?<!\p{L})(сне[гж]|зим|мороз)/iu,
  sea: /\b(seas?|ocean|lake|water|beach|ships?|boats?)\b|(?<!\p{L})(мор[еяю]|морск|океан|озер|пляж|лодк|корабл)/iu,
  forest: /\b(forest|woods?|trees?|pines?)\b|(?<!\p{L})(лес(?!т)|дерев|[её]лк|[её]лоч|сосн)/iu,
  city: /\b(city|cities|town|street|skyline|skyscrapers?)\b|(?<!\p{L})(город|улиц|небоскр)/iu,
  fox: /\bfox(es)?\b|(?<!\p{L})(лис(а|ы|у|е|ой)?(?!\p{L})|лисиц|лис[её]н|лисич)/iu,
  cat: /\b(cats?|kitten\w*|kitty)\b|(?<!\p{L})(кот(а|у|ом|ы|ов)?(?!\p{L})|котик|кот[её]н|котят|кошк|кошеч)/iu,
} as const;

const NIGHT: Colours = {
  sky: ['#070b24', '#1b2350', '#4a4a85'],
  light: '#f4f0d9',
  far: [66, 70, 120],
  near: [12, 18, 38],
  isNight: true,
};
const SUNSET: Colours = {
  sky: ['#3b2a6b', '#d8577a', '#ffc27a'],
  light: '#fff1c4',
  far: [176, 96, 130],
  near: [48, 28, 66],
  isNight: false,
};
const DAYS: readonly Colours[] = [
  {
    sky: ['#2f7fd6', '#7fbdf0', '#e3f3fb'],
    light: '#fff6c9',
    far: [150, 186, 196],
    near: [38, 92, 62],
    isNight: false,
  },
  {
    sky: ['#1f9aa8', '#8fd6c8', '#f6f0cf'],
    light: '#fffbe0',
    far: [138, 190, 176],
    near: [30, 80, 84],
    isNight: false,
  },
  {
    sky: ['#6a5fc4', '#c3a6e8', '#fde3d2'],
    light: '#ffffff',
    far: [176, 150, 200],
    near: [74, 56, 110],
    isNight: false,
  },
  SUNSET,
];

function chooseColours(has: HasMotif, random: () => number): Colours {
  const day = DAYS[Math.floor(random() * DAYS.length)] ?? SUNSET;
  const colours = has('night') ? NIGHT : has('sunset') ? SUNSET : day;
  if (!has('snow')) return colours;
  return colours.isNight
    ? { ...colours, far: [96, 108, 158], near: [196, 206, 232] }
    : { ...colours, far: [186, 202, 224], near: [246, 249, 255] };
}

function svg({ width, height, colours }: Stage, parts: readonly string[]): string {
  const stops = colours.sky.map((colour, index) => `<stop offset="${index * 0.36}" stop-color="${colour}"/>`).join('');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1">${stops}</linearGradient>`,
    `<radialGradient id="glow"><stop offset="0.2" stop-color="${colours.light}" stop-opacity="0.55"/>`,
    `<stop offset="1" stop-color="${colours.light}" stop-opacity="0"/></radialGradient></defs>`,
    ...parts,
    '</svg>',
  ].join('');
}

/** Numbers from 0 to 1 that are the same for the same text (mulberry32 behind SHA-256). */
function createRandom(text: string): () => number {
  let state = createHash('sha256').update(text).digest().readUInt32LE();
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
