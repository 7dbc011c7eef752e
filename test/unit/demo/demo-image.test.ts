import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { letterPrompt } from '../../../demo/demo-image.ts';
import { createDemoProvider } from '../../../demo/demo-provider.ts';
import { ASPECT_RATIOS, parseRatio } from '../../../src/core/images/index.ts';
import { type ImageRequest, ProviderRejectedError, ProviderUnavailableError } from '../../../src/core/models/index.ts';
import { failureOf, noAbort } from '../../support/hosts/provider-under-test.ts';
import { createFakeClock } from '../../support/machine/fake-clock.ts';
import { drawPng } from '../../support/samples/media.ts';

const { image, listModels } = createDemoProvider(
  { clock: createFakeClock(), random: () => 0.25 },
  { kind: 'demo', imageMs: 0 },
);

const FOX: ImageRequest = {
  model: 'demo-image',
  prompt: 'a red fox in snow',
  ratio: { width: 1, height: 1 },
  count: 1,
  seed: 1,
};

async function draw(fields: Partial<ImageRequest> = {}) {
  const { images } = await image.generate({ ...FOX, ...fields }, noAbort());
  return images.map(({ bytes, seed }) => ({ bytes, seed }));
}

async function drawOne(fields: Partial<ImageRequest> = {}): Promise<Buffer> {
  const [image] = await draw(fields);
  return image?.bytes ?? Buffer.alloc(0);
}

/** Share of pixels, from 0 to 1, that differ between two images of the same size, in a part of their height. */
async function difference(a: Buffer, b: Buffer, from = 0, to = 1): Promise<number> {
  const { width, height } = await sharp(a).metadata();
  const part = { left: 0, top: Math.floor(height * from), width, height: Math.floor(height * (to - from)) };
  const [first, second] = await Promise.all([a, b].map((bytes) => sharp(bytes).extract(part).raw().toBuffer()));
  if (!first || first.length !== second?.length) return 1;
  let different = 0;
  for (let at = 0; at < first.length; at += 3) {
    if (!first.subarray(at, at + 3).equals(second.subarray(at, at + 3))) different += 1;
  }
  return (different * 3) / first.length;
}

/** The parts of an image with the words and with the line below them, where present. */
async function letters(prompt: string): Promise<readonly string[]> {
  const [_shade, ...layers] = await letterPrompt(prompt, { width: 600, height: 600 });
  return layers.map(({ input }) => (Buffer.isBuffer(input) ? input.toString('base64') : ''));
}

describe('the image of the demonstration', () => {
  it('comes from a model that is listed after the chat models and can edit', async () => {
    const models = await listModels(noAbort());
    expect(models.slice(0, 4).map(({ type }) => type)).toEqual(['chat', 'chat', 'chat', 'image']);
    const image = models.find(({ id }) => id === 'demo-image');
    expect(image).toMatchObject({ type: 'image', displayName: 'Demonstration image', acceptsImages: true });
    expect(image).not.toHaveProperty('contextLength');
  });

  it.each(ASPECT_RATIOS)('has exactly the ratio %s and about a megapixel', async (text) => {
    const ratio = parseRatio(text) ?? { width: 0, height: 0 };
    const { width, height } = await sharp(await drawOne({ ratio })).metadata();
    expect(width * ratio.height).toBe(height * ratio.width);
    expect(width * height).toBeGreaterThan(950_000);
    expect(width * height).toBeLessThan(1_150_000);
  });

  it.each([
    [
      { width: 1536, height: 1024 },
      { width: 1536, height: 1024 },
    ],
    [
      { width: 8000, height: 4000 },
      { width: 2828, height: 1414 },
    ],
    [
      { width: 1, height: 1 },
      { width: 256, height: 256 },
    ],
  ])('has the requested size, within limits: %o', async (size, expected) => {
    expect(await sharp(await drawOne({ size })).metadata()).toMatchObject(expected);
  });

  it('is the same to the byte for the same prompt and seed, and differs for others', async () => {
    const fox = await drawOne();
    expect(fox.equals(await drawOne())).toBe(true);
    for (const other of [{ seed: 2 }, { prompt: 'a red fox in snow!' }]) {
      expect(await difference(fox, await drawOne(other), 0, 0.7)).toBeGreaterThan(0.05);
    }
  });

  it('reports its seed, which reproduces it', async () => {
    const [image] = await draw({ seed: undefined });
    expect(image?.seed).toBe(2 ** 29);
    expect(image?.bytes.equals(await drawOne({ seed: 2 ** 29 }))).toBe(true);
  });

  it('comes in up to four variations at a time', async () => {
    const images = await draw({ count: 10, seed: 2 ** 31 - 2 });
    expect(images.map(({ seed }) => seed)).toEqual([2 ** 31 - 2, 2 ** 31 - 1, 0, 1]);
    expect(new Set(images.map(({ bytes }) => bytes.toString('base64'))).size).toBe(4);
  });

  it.each([
    ['Latin', 'Hello'],
    ['Cyrillic', 'Привет'],
    ['signs of markup', '</span><b>&amp;'],
    ['a whole page', 'every word counts '.repeat(200)],
    ['one word without end', 'x'.repeat(3000)],
  ])('shows words: %s', async (_what, prompt) => {
    const silent = await drawOne({ prompt: '' });
    const bytes = await drawOne({ prompt });
    expect(silent.equals(bytes)).toBe(false);
    // Letters are white, and nothing else so far down is.
    const foot = { left: 50, top: 700, width: 900, height: 240 };
    const brightest = async (image: Buffer) =>
      Math.min(...(await sharp(image).extract(foot).stats()).channels.map(({ max }) => max));
    expect(await brightest(bytes)).toBe(255);
    expect(await brightest(silent)).toBeLessThan(240);
  });

  it('omits characters that its font lacks, and shows the rest', async () => {
    expect(await letters('狐')).toEqual(await letters(''));
    expect(await letters('🦊🦊🦊')).toEqual(await letters(''));
    expect(await letters('🦊 fox 狐')).toEqual(await letters('fox'));
    expect(await letters('red 🦊 fox')).toEqual(await letters('red fox'));
    expect(await letters('fox')).not.toEqual(await letters(''));
  });

  it('says in the language of the prompt that no AI made it', async () => {
    const notice = async (prompt: string) => (await letters(prompt)).at(-1);
    expect(await notice('a fox')).toEqual(await notice('a cat'));
    expect(await notice('лиса')).toEqual(await notice('кот'));
    expect(await notice('лиса')).not.toEqual(await notice('a fox'));
  });

  it('is painted over an image that is to be edited', async () => {
    const source = drawPng(300, 200, [250, 10, 10]);
    const ratio = { width: 3, height: 2 };
    const edited = await drawOne({ prompt: 'make it night', sources: [source], ratio });
    expect(await sharp(edited).metadata()).toMatchObject({ width: 1254, height: 836 });
    const { channels } = await sharp(edited).extract({ left: 0, top: 400, width: 1254, height: 100 }).stats();
    const [red = 0, green = 0] = channels.map(({ mean }) => mean);
    // The original is still visible, and it has changed.
    expect(red).toBeGreaterThan(green + 60);
    expect(red).toBeLessThan(240);
  });

  it('is refused if the file to edit is no image', async () => {
    const failure = await failureOf(draw({ sources: [Buffer.from('no picture')] }));
    expect(failure).toBeInstanceOf(ProviderRejectedError);
    expect(failure).toMatchObject({ status: 400, details: { param: 'image' } });
  });

  it('is refused for other models', async () => {
    const failure = await failureOf(draw({ model: 'demo' }));
    expect(failure).toBeInstanceOf(ProviderUnavailableError);
    expect(failure).toMatchObject({ status: 404 });
  });

  it('takes two seconds of the clock, like a real model', async () => {
    const clock = createFakeClock();
    const slow = createDemoProvider({ clock }).image;
    let isDone = false;
    const drawing = slow.generate(FOX, noAbort()).then(() => {
      isDone = true;
    });
    await clock.advance(1999);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isDone).toBe(false);
    await clock.advance(1);
    await drawing;
    expect(clock.pending).toBe(0);
  });

  it('is not rendered after an abort', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const size = { width: 2000, height: 2000 };
    const drawing = failureOf(image.generate({ ...FOX, size }, controller.signal));
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    const nextTurn = new Promise((resolve) => setImmediate(resolve, 'still drawing'));
    expect(await Promise.race([drawing, nextTurn])).toBe(reason);
  });

  it('stops at once and leaves no timer', async () => {
    const clock = createFakeClock();
    const controller = new AbortController();
    const drawing = failureOf(createDemoProvider({ clock }).image.generate(FOX, controller.signal));
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await drawing).toBe(reason);
    expect(clock.pending).toBe(0);
  });
});
