import { createHash } from 'node:crypto';
import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import { coverSize, type Image, readImage, renderText, UnreadableImageError } from '../src/core/images/index.ts';
import {
  type DrawnImage,
  type ImageModel,
  type ImageRequest,
  type ImageSize,
  ProviderRejectedError,
  ProviderUnavailableError,
} from '../src/core/models/index.ts';
import { leaveOnAbort } from '../src/lib/async/leave-on-abort.ts';
import { type Clock, sleep } from '../src/lib/clock.ts';
import { shorten } from '../src/lib/text.ts';

export interface DemoImageDeps {
  readonly clock: Clock;
  /** Returns a number from 0 to 1, 1 excluded; for seeds. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

export interface DemoImageConfig {
  /** Name of the provider. */
  readonly provider: string;
  /** Minimum duration of a request. */
  readonly imageMs: number;
}

/** Name of the image model. */
export const DEMO_IMAGE_MODEL = 'demo-image';
const SEEDS = 2 ** 31;

/**
 * Creates a model that draws the text of the prompt on a coloured background, as PNG. Deterministic by prompt, seed and
 * size. An edit draws both over the source images side by side, and a mask protects the opaque parts of the first one.
 */
export function createDemoImage(
  { clock, random = Math.random }: DemoImageDeps,
  { provider, imageMs }: DemoImageConfig,
): ImageModel {
  return {
    async generate(request, signal) {
      signal.throwIfAborted();
      if (request.model !== DEMO_IMAGE_MODEL) {
        throw new ProviderUnavailableError(provider, `${provider} has no image model '${request.model}'`, {
          status: 404,
        });
      }
      const seed = request.seed ?? Math.floor(random() * SEEDS);
      const pace = imageMs > 0 ? sleep(clock, imageMs, signal) : undefined;
      const painted = paintAll(request, seed, signal).catch((error: unknown) => {
        throw error instanceof UnreadableImageError ? toRejection(provider, error) : error;
      });
      const [images] = await leaveOnAbort(Promise.all([painted, pace]), signal);
      return { images, provider, model: request.model };
    },
  };
}

/** Maximum number of images in one request. */
const MAX_AT_A_TIME = 4;

async function paintAll(request: ImageRequest, firstSeed: number, signal: AbortSignal): Promise<DrawnImage[]> {
  const images: DrawnImage[] = [];
  const count = Math.min(request.count, MAX_AT_A_TIME);
  while (images.length < count) {
    const seed = (firstSeed + images.length) % SEEDS;
    images.push({ ...(await paint(request, seed)), seed });
    signal.throwIfAborted();
  }
  return images;
}

const EDIT_OPACITY = 0.4;

async function paint({ prompt, sources, mask, ...request }: ImageRequest, seed: number): Promise<Image> {
  const size = chooseSize(request);
  const letters = await letterPrompt(prompt, size);
  if (!sources) return paintOver(Buffer.from(composeGround(prompt, seed, size)), letters);
  const columns = await toColumns(sources, size);
  const tint = { input: Buffer.from(composeGround(prompt, seed, size, EDIT_OPACITY)), left: 0, top: 0 };
  const [first] = columns;
  const kept = mask && first ? [{ ...first, input: await keepOpaque(first, mask) }] : [];
  const ground = Buffer.from(composeGround(prompt, seed, size));
  return paintOver(ground, [...columns, tint, ...letters, ...kept]);
}

/** An image and its place in a larger one. */
interface Column extends ImageSize {
  readonly input: Buffer;
  readonly left: number;
  readonly top: number;
}

/** Scales the images so that they fill the size side by side. */
async function toColumns(sources: readonly Buffer[], { width, height }: ImageSize): Promise<Column[]> {
  const columns: Column[] = [];
  for (const [index, source] of sources.entries()) {
    const left = Math.round((width * index) / sources.length);
    const size = { width: Math.round((width * (index + 1)) / sources.length) - left, height };
    columns.push({ input: (await coverSize(await readImage(source), size)).bytes, left, top: 0, ...size });
  }
  return columns;
}

/** Returns the parts of an image where the mask is opaque. */
async function keepOpaque({ input, width, height }: Column, mask: Buffer): Promise<Buffer> {
  const { bytes } = await coverSize(await readImage(mask), { width, height });
  return sharp(input)
    .ensureAlpha()
    .composite([{ input: bytes, blend: 'dest-in' }])
    .png()
    .toBuffer();
}

async function paintOver(ground: Buffer, layers: Parameters<Sharp['composite']>[0]): Promise<Image> {
  const painted = sharp(ground).composite(layers).removeAlpha().png();
  const { data, info } = await painted.toBuffer({ resolveWithObject: true });
  return { bytes: data, format: 'png', width: info.width, height: info.height };
}

/** Approximate area if no size was requested. */
const USUAL_PIXELS = 1024 * 1024;
const MAX_PIXELS = 4_000_000;
const MIN_SIDE = 256;
const MAX_SIDE = 4096;

/** Returns the requested size within limits, else exactly the ratio at about a megapixel. */
function chooseSize({ size, ratio }: Pick<ImageRequest, 'size' | 'ratio'>): ImageSize {
  const scale = Math.max(1, Math.round(Math.sqrt(USUAL_PIXELS / (ratio.width * ratio.height))));
  const requestedSize = size ?? { width: ratio.width * scale, height: ratio.height * scale };
  const shrink = Math.min(1, Math.sqrt(MAX_PIXELS / (requestedSize.width * requestedSize.height)));
  const toSide = (pixels: number) => Math.min(MAX_SIDE, Math.max(MIN_SIDE, Math.floor(pixels * shrink)));
  return { width: toSide(requestedSize.width), height: toSide(requestedSize.height) };
}

function toRejection(provider: string, error: UnreadableImageError): ProviderRejectedError {
  return new ProviderRejectedError(provider, 400, { message: error.message, param: 'image', code: 'invalid_image' });
}

const BUBBLES = 7;

/**
 * Returns an SVG of coloured bubbles on a gradient. Deterministic by prompt, seed and size. `opacity` is from 0 to 1.
 */
function composeGround(prompt: string, seed: number, { width, height }: ImageSize, opacity = 1): string {
  // Each element uses its own bytes of the hash, as numbers from 0 to 1.
  const numbers = [...createHash('sha256').update(`${seed}\n${prompt}`).digest()].map((byte) => byte / 255);
  const [hue = 0, tilt = 0, ...rest] = numbers;
  const bubbles = Array.from({ length: BUBBLES }, (_, index) => {
    const [x = 0, y = 0, size = 0, shade = 0] = rest.slice(4 * index);
    const radius = Math.min(width, height) * (0.08 + 0.22 * size);
    return `<circle cx="${x * width}" cy="${y * height * 0.8}" r="${radius}" fill="hsl(${360 * (hue + shade / 3)},70%,70%)" opacity="0.35"/>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    `<defs><linearGradient id="ground" gradientTransform="rotate(${90 * tilt})">`,
    `<stop offset="0" stop-color="hsl(${360 * hue},60%,40%)"/><stop offset="1" stop-color="hsl(${360 * hue + 70},65%,60%)"/>`,
    `</linearGradient></defs><g opacity="${opacity}"><rect width="100%" height="100%" fill="url(#ground)"/>`,
    ...bubbles,
    '</g></svg>',
  ].join('');
}

const ENGLISH_NOTICE = 'A demonstration image, not made by an AI';

const RUSSIAN_NOTICE = 'Демонстрационная картинка, нарисована без ИИ';

const MAX_CHARACTERS = 120;

/**
 * Characters that DejaVu Sans lacks; it has Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic, Georgian, digits and
 * symbols. They are left out, so an image for a Chinese prompt shows only the notice.
 */
const ILLEGIBLE = new RegExp(
  '[^ -~\\u00a0-\\u02af\\u0384-\\u038a\\u038c\\u038e-\\u03a1\\u03a3-\\u0525\\u0531-\\u0556\\u0561-\\u0587\\u05d0-\\u05ea' +
    '\\u0621-\\u063a\\u0640-\\u064a\\u10d0-\\u10fc\\u1e00-\\u1efb\\u2010-\\u2027\\u2030-\\u205e\\u20a0-\\u20b5\\u20bd\\u2116\\u2190-\\u22ff]',
  'gu',
);

/**
 * Returns layers for the lower edge of an image: a dark band, the text of the prompt, and a notice that this is a
 * demonstration.
 */
export async function letterPrompt(prompt: string, size: ImageSize): Promise<OverlayOptions[]> {
  const margin = Math.round(Math.min(size.width, size.height) * 0.05);
  const width = size.width - 2 * margin;
  const fontSize = Math.max(11, Math.round(Math.sqrt(size.width * size.height) * 0.019));
  const notice = await renderText(/[а-яё]/i.test(prompt) ? RUSSIAN_NOTICE : ENGLISH_NOTICE, {
    width,
    fontSize,
    colour: '#ffffffb8',
  });
  // Limits the text to two fifths of the image, assuming square characters.
  const maxCharacters = Math.min(MAX_CHARACTERS, Math.floor((0.4 * width * size.height) / (2 * fontSize) ** 2));
  const legible = prompt.normalize('NFC').replace(/\s/g, ' ').replace(ILLEGIBLE, '').replace(/ +/g, ' ').trim();
  const text = shorten(legible, maxCharacters);
  const words = /[\p{L}\p{N}]/u.test(text)
    ? await renderText(text, { width, fontSize: 2 * fontSize, colour: '#ffffff' })
    : undefined;
  const noticeTop = size.height - margin - notice.height;
  const wordsTop = Math.max(0, noticeTop - (words ? words.height + fontSize : 0));
  return [
    { input: Buffer.from(drawBand(size, Math.max(0, wordsTop - margin))), left: 0, top: 0 },
    ...(words ? [{ input: words.bytes, left: margin, top: wordsTop }] : []),
    { input: notice.bytes, left: margin, top: Math.max(0, noticeTop) },
  ];
}

/** Draws a band that makes white letters readable on any background. */
function drawBand({ width, height }: ImageSize, top: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect y="${top}" width="${width}" height="${height - top}" fill="#05070fb0"/></svg>`;
}
