import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it, vi } from 'vitest';
import { decodeImage } from '../../../../src/core/images/decode-image.ts';
import {
  ASPECT_RATIOS,
  convertImage,
  coverSize,
  cropToRatio,
  type Image,
  type ImageFormat,
  limitImage,
  parseRatio,
  readImage,
  UnreadableImageError,
} from '../../../../src/core/images/index.ts';
import { failureOf } from '../../../support/hosts/provider-under-test.ts';
import { findChildren } from '../../../support/machine/child-processes.ts';
import { drawPng } from '../../../support/samples/media.ts';
import { countInputs, testByTier } from '../../../support/vitest/tiers.ts';

const TELEGRAM = { maxBytes: 10 * 1024 * 1024, maxSideSum: 10_000, maxRatio: 20 };

/** Left half red, right half blue. */
function twoColours(width: number, height: number): Sharp {
  const half = { width: Math.ceil(width / 2), height, channels: 3 as const, background: '#f00' };
  return sharp({ create: { width, height, channels: 3, background: '#00f' } }).composite([
    { input: { create: half }, left: 0, top: 0 },
  ]);
}

/** Consists of random pixels: no format can compress it. */
function noise(width: number, height: number): Sharp {
  return sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } });
}

/** Properties of the bytes, with every pixel decoded. */
async function decode(bytes: Buffer) {
  const { info } = await sharp(bytes, { failOn: 'warning' }).raw().toBuffer({ resolveWithObject: true });
  const { format, orientation, pages } = await sharp(bytes).metadata();
  return { format, orientation, pages, width: info.width, height: info.height };
}

async function expectHonest(image: Image) {
  const { format, width, height } = await decode(image.bytes);
  expect(image).toMatchObject({ format, width, height });
}

async function colourAt(bytes: Buffer, x: number, y: number): Promise<readonly number[]> {
  const { data } = await sharp(bytes)
    .removeAlpha()
    .extract({ left: x, top: y, width: 1, height: 1 })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return [...data];
}

describe('readImage', () => {
  it.each(['png', 'jpeg', 'webp'] as const)('keeps a %s file unchanged', async (format) => {
    const bytes = await twoColours(37, 23).toFormat(format).toBuffer();
    const image = await readImage(bytes);
    expect(image).toMatchObject({ format, width: 37, height: 23 });
    expect(image.bytes).toBe(bytes);
  });

  it.each(['gif', 'avif', 'tiff'] as const)('converts %s to PNG', async (format) => {
    const image = await readImage(await twoColours(36, 24).toFormat(format).toBuffer());
    expect(image).toMatchObject({ format: 'png', width: 36, height: 24 });
    await expectHonest(image);
    const [red = 0, , blue = 255] = await colourAt(image.bytes, 4, 12);
    expect(red).toBeGreaterThan(200);
    expect(blue).toBeLessThan(60);
  });

  it.each(['gif', 'webp'] as const)('takes the first frame of an animated %s', async (format) => {
    const frames = await Promise.all(['#0f0', '#f00', '#00f'].map((background) => onePixelColour(background)));
    const moving = await sharp(frames, { join: { animated: true } })
      .toFormat(format, { loop: 0, delay: [50, 50, 50] })
      .toBuffer();
    expect((await sharp(moving).metadata()).pages).toBe(3);
    const image = await readImage(moving);
    expect(image).toMatchObject({ width: 20, height: 10 });
    expect(await decode(image.bytes)).toMatchObject({ width: 20, height: 10, pages: undefined });
    const [, green = 0] = await colourAt(image.bytes, 5, 5);
    expect(green).toBeGreaterThan(200);
  });

  it.each([2, 3, 4, 5, 6, 7, 8])('rotates by EXIF orientation %i', async (orientation) => {
    const turned = await twoColours(60, 20).jpeg({ quality: 100 }).withMetadata({ orientation }).toBuffer();
    const image = await readImage(turned);
    const isSideways = orientation >= 5;
    expect(image).toMatchObject({ format: 'jpeg', width: isSideways ? 20 : 60, height: isSideways ? 60 : 20 });
    expect((await decode(image.bytes)).orientation ?? 1).toBe(1);
    await expectHonest(image);
    // Position of the red half, by the definition of EXIF orientations.
    const places: Record<number, readonly [number, number]> = {
      2: [50, 10],
      3: [50, 10],
      4: [10, 10],
      5: [10, 10],
      6: [10, 10],
      7: [10, 50],
      8: [10, 50],
    };
    const [x, y] = places[orientation] ?? [0, 0];
    const [red = 0] = await colourAt(image.bytes, x, y);
    expect(red).toBeGreaterThan(200);
  });

  testByTier(['png', 'jpeg', 'webp', 'gif', 'avif', 'tiff'] as const)(
    'refuses an incomplete %s file',
    async (format) => {
      const whole = await noise(200, 150).toFormat(format).toBuffer();
      for (const share of [0.02, 0.3, 0.6, 0.9, 0.99]) {
        const part = whole.subarray(0, Math.floor(whole.length * share));
        expect(await failureOf(readImage(part)), `${share} of it`).toBeInstanceOf(UnreadableImageError);
      }
    },
  );

  it('refuses a progressive JPEG and an interlaced PNG without their end', async () => {
    for (const whole of [
      await noise(200, 150).jpeg({ progressive: true }).toBuffer(),
      await noise(200, 150).png({ progressive: true }).toBuffer(),
    ]) {
      expect((await readImage(whole)).width).toBe(200);
      const part = whole.subarray(0, Math.floor(whole.length * 0.9));
      expect(await failureOf(readImage(part))).toBeInstanceOf(UnreadableImageError);
    }
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['garbage', Buffer.from('this is no picture at all, just words and more words')],
    ['a PNG signature and garbage', Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(200, 7)])],
    ['a web page', Buffer.from('<!doctype html><html><body>Too many requests</body></html>')],
    [
      'SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'),
    ],
    ['PDF', Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>')],
  ])('refuses %s', async (_what, bytes) => {
    expect(await failureOf(readImage(bytes))).toBeInstanceOf(UnreadableImageError);
  });

  it('does not start a decoder for a file that is no image', async () => {
    for (const text of ['<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', '%PDF-1.4', '\x1f\x8bsvgz']) {
      // A refusal of the library would be the cause of the error.
      expect(await failureOf(readImage(Buffer.from(text, 'latin1')))).not.toHaveProperty('cause');
    }
  });

  it('refuses a small file that would decompress to more pixels than the limit', async () => {
    const bomb = await sharp({ create: { width: 7300, height: 7300, channels: 3, background: '#000' } })
      .png({ palette: true })
      .toBuffer();
    expect(bomb.length).toBeLessThan(1_000_000);
    const failure = await failureOf(readImage(bomb));
    expect(failure).toBeInstanceOf(UnreadableImageError);
    expect(failure).toMatchObject({ cause: { cause: expect.stringContaining('pixel limit') } });
  });

  it.each([
    ['', ''],
    ['after a byte order mark', '\ufeff'],
    ['dressed as AVIF', '\0\0\0\u0020ftypavif\0\0\0\0'],
    ['with AVIF in a comment', '<!--ftypavif-->'],
    ['dressed as WebP', 'RIFF<!--WEBP-->'],
    ['dressed as GIF', 'GIF89a'],
    ['dressed as TIFF', 'II*\0'],
  ])('never follows references in an SVG %s', async (_how, prefix) => {
    let visits = 0;
    const server = createServer((_request, response) => {
      visits += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/inside.png`;
    const laughs = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, index, all) =>
      index === 0 ? '<!ENTITY a "haha">' : `<!ENTITY ${name} "${`&${all[index - 1]};`.repeat(20)}">`,
    );
    const svg = `${prefix}<?xml version="1.0"?><!DOCTYPE svg [${laughs.join('')}<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg" width="50" height="50"><image href="${url}" width="50" height="50"/><text>&i;&x;</text></svg>`;
    const before = process.cpuUsage();
    expect(await failureOf(readImage(Buffer.from(svg, 'utf8')))).toBeInstanceOf(UnreadableImageError);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2000);
    expect(visits).toBe(0);
    server.close();
  });
});

describe('a decoder that crashes', () => {
  const findDecoders = () => findChildren(process.pid, 'decoding-process.');

  it('makes the image unreadable, and breaks nothing else', async () => {
    const bytes = drawPng(6000, 6000);
    const failure = failureOf(readImage(bytes));
    const decoders = await vi.waitUntil(
      async () => {
        const found = await findDecoders();
        return found.length > 0 && found;
      },
      { interval: 1 },
    );
    for (const decoder of decoders) process.kill(decoder, 'SIGKILL');
    expect(await failure).toBeInstanceOf(UnreadableImageError);
    expect(await findDecoders()).toEqual([]);
    expect(await readImage(bytes)).toMatchObject({ width: 6000, height: 6000 });
  });
});

describe('cropToRatio', () => {
  const ratios = ASPECT_RATIOS.map((text) => ({ text, ...(parseRatio(text) ?? { width: 0, height: 0 }) }));

  it.each(ratios)('returns $text to the pixel, for any original size', async ({ width, height }) => {
    for (const [w, h] of [
      [1024, 1024],
      [1021, 773],
      [640, 1153],
      [1920, 1088],
      [333, 47],
      [23, 21],
    ] as const) {
      const bytes = await twoColours(w, h).png().toBuffer();
      const source: Image = { bytes, format: 'png', width: w, height: h };
      const cropped = await cropToRatio(source, { width, height }, decodeImage);
      await expectHonest(cropped);
      expect(cropped.width * height).toBe(cropped.height * width);
      expect(cropped.width).toBeLessThanOrEqual(w);
      expect(cropped.height).toBeLessThanOrEqual(h);
      // No row more is lost than the next larger part with this ratio would need.
      const unit = width / gcd(width, height);
      expect(cropped.width + unit > w || ((cropped.width + unit) * height) / width > h).toBe(true);
    }
  });

  it('is exact for any size, ratio and format', async () => {
    const side = fc.integer({ min: 1, max: 220 });
    await fc.assert(
      fc.asyncProperty(
        side,
        side,
        fc.constantFrom(...ratios),
        fc.constantFrom<ImageFormat[]>('png', 'jpeg', 'webp'),
        async (w, h, ratio, format) => {
          const bytes = await twoColours(w, h).toFormat(format).toBuffer();
          const cropped = await cropToRatio({ bytes, format, width: w, height: h }, ratio, decodeImage);
          await expectHonest(cropped);
          expect(cropped.format).toBe(format);
          expect(cropped.width * ratio.height).toBe(cropped.height * ratio.width);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('takes the middle', async () => {
    const source = await readImage(await twoColours(300, 100).png().toBuffer());
    const { bytes } = await cropToRatio(source, { width: 1, height: 1 });
    expect(await colourAt(bytes, 40, 50)).toEqual([255, 0, 0]);
    expect(await colourAt(bytes, 60, 50)).toEqual([0, 0, 255]);
  });

  it('returns the same file if the ratio is already right', async () => {
    const source = await readImage(await twoColours(160, 90).webp().toBuffer());
    expect(await cropToRatio(source, { width: 16, height: 9 })).toBe(source);
  });

  it('keeps transparency', async () => {
    const glass = await sharp({ create: { width: 50, height: 30, channels: 4, background: '#ff000080' } })
      .png()
      .toBuffer();
    const { bytes } = await cropToRatio(await readImage(glass), { width: 1, height: 1 });
    expect((await sharp(bytes).stats()).isOpaque).toBe(false);
  });
});

describe('coverSize', () => {
  it.each([
    [100, 50],
    [401, 299],
    [7, 900],
  ])('covers %i by %i exactly', async (width, height) => {
    const source = await readImage(await twoColours(200, 151).jpeg().toBuffer());
    const covered = await coverSize(source, { width, height });
    expect(covered).toMatchObject({ format: 'jpeg', width, height });
    await expectHonest(covered);
  });
});

describe('convertImage', () => {
  it('replaces transparency by white for JPEG', async () => {
    const clear = await sharp({ create: { width: 20, height: 20, channels: 4, background: '#00000000' } })
      .png()
      .toBuffer();
    const jpeg = await convertImage(await readImage(clear), 'jpeg');
    await expectHonest(jpeg);
    expect(await colourAt(jpeg.bytes, 10, 10)).toEqual([255, 255, 255]);
  });
});

describe('limitImage', () => {
  const expectWithin = (image: Image) => {
    expect(image.bytes.length).toBeLessThanOrEqual(TELEGRAM.maxBytes);
    expect(image.width + image.height).toBeLessThanOrEqual(TELEGRAM.maxSideSum);
    expect(Math.max(image.width, image.height)).toBeLessThanOrEqual(
      Math.min(image.width, image.height) * TELEGRAM.maxRatio,
    );
  };

  it('brings an image of 40 MB below 10 MB and keeps its proportions', async () => {
    const bytes = await noise(4200, 3175).png({ compressionLevel: 0 }).toBuffer();
    expect(bytes.length).toBeGreaterThan(40_000_000);
    const limited = await limitImage(await readImage(bytes), TELEGRAM);
    expectWithin(limited);
    await expectHonest(limited);
    expect(limited.width / limited.height).toBeCloseTo(4200 / 3175, 2);
    // As large as the limit allows: not shrunk to next to nothing.
    expect(limited.bytes.length).toBeGreaterThan(4_000_000);
  });

  it.each([
    [1, 1],
    [5000, 10],
    [10, 5000],
    [9999, 2],
    [60_000, 30],
    [12_000, 4],
    [9000, 3000],
  ])('lets %i by %i pixels keep every limit', async (width, height) => {
    const limited = await limitImage(await readImage(drawPng(width, height)), TELEGRAM);
    expectWithin(limited);
    await expectHonest(limited);
  });

  it('returns the same file if it keeps the limits', async () => {
    const source = await readImage(drawPng(200, 10));
    expect(await limitImage(source, TELEGRAM)).toBe(source);
  });

  it('keeps any limits for any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 50, max: 400 }),
        fc.integer({ min: 1, max: 20 }),
        async (width, height, maxSideSum, maxRatio) => {
          const source: Image = { bytes: drawPng(width, height), format: 'png', width, height };
          const limited = await limitImage(source, { maxBytes: 10_000_000, maxSideSum, maxRatio }, decodeImage);
          await expectHonest(limited);
          expect(limited.width + limited.height).toBeLessThanOrEqual(maxSideSum);
          expect(Math.max(limited.width, limited.height)).toBeLessThanOrEqual(
            Math.min(limited.width, limited.height) * maxRatio,
          );
        },
      ),
      { numRuns: countInputs(100) },
    );
  });
});

describe('parseRatio', () => {
  it('accepts eleven texts and nothing else', () => {
    expect(ASPECT_RATIOS).toHaveLength(11);
    for (const text of ASPECT_RATIOS) {
      const ratio = parseRatio(text);
      expect(`${ratio?.width}:${ratio?.height}`).toBe(text);
    }
    for (const text of ['', '1:2', '16:10', ' 1:1', '1:1 ', '01:1', '1x1', '1:0', 'toString']) {
      expect(parseRatio(text), text).toBeUndefined();
    }
  });
});

function onePixelColour(background: string): Promise<Buffer> {
  return sharp({ create: { width: 20, height: 10, channels: 3, background } })
    .png()
    .toBuffer();
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
