import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ImageModel,
  type ImageRequest,
  type ImageResult,
  ModelNotFoundError,
  ProviderError,
} from '../../src/core/models/index.ts';
import { startStopwatch } from '../support/machine/measure.ts';

/** A model under test and its cleanup. */
export interface ImageModelFixture {
  readonly model: ImageModel;
  /** A name that the model serves. */
  readonly modelName: string;
  close(): Promise<void>;
}

/**
 * Tests the contract of every ImageModel. The model must take 50 ms or more to draw `a fox`, so that a test can abort in
 * the middle. `create` starts a new model for each test.
 */
export function describeImageModel(name: string, create: () => Promise<ImageModelFixture>, options = {}): void {
  describe(`${name} as an image model`, options, () => {
    let fixture: ImageModelFixture;
    let controller: AbortController;
    beforeEach(async () => {
      fixture = await create();
      controller = new AbortController();
    });
    afterEach(() => fixture.close());

    const generate = (fields: Partial<ImageRequest> = {}) =>
      fixture.model.generate(
        { model: fixture.modelName, prompt: 'a fox', ratio: { width: 1, height: 1 }, count: 1, ...fields },
        controller.signal,
      );

    it('generates an image that can be decoded completely', async () => {
      await expectWhole(await generate(), 1);
    });

    it.each([1, 2, 4, 10])('generates at least one and at most %i of %i requested images', async (count) => {
      await expectWhole(await generate({ count }), count);
    });

    it('accepts every ratio, exact or nearest', async () => {
      for (const ratio of [
        { width: 16, height: 9 },
        { width: 21, height: 9 },
        { width: 9, height: 21 },
        { width: 4, height: 5 },
      ]) {
        const [image] = await expectWhole(await generate({ ratio }), 1);
        // A tall image must not come out wide.
        expect(Math.sign((image?.width ?? 0) - (image?.height ?? 0))).not.toBe(Math.sign(ratio.height - ratio.width));
      }
    });

    it('accepts a size, a seed and options', async () => {
      const size = { width: 1024, height: 1024 };
      await expectWhole(await generate({ size, seed: 2 ** 31 - 1, extraFields: { quality: 'high' } }), 1);
    });

    it('accepts any text as a prompt', async () => {
      for (const prompt of ['狐', '🦊', '<b>&amp;</b> "\\', 'лиса '.repeat(200)]) {
        await expectWhole(await generate({ prompt }), 1);
      }
    });

    it('names the provider of the image', async () => {
      expect(await generate()).toMatchObject({
        provider: expect.stringMatching(/./),
        model: expect.stringMatching(/./),
      });
    });

    it('refuses an unknown model', async () => {
      const failure = await generate({ model: 'no-such-model' }).catch((error: unknown) => error);
      expect(failure instanceof ProviderError || failure instanceof ModelNotFoundError).toBe(true);
    });

    it('throws the reason of a signal that was aborted before the call', async () => {
      const reason = new Error('changed my mind');
      controller.abort(reason);
      await expect(generate()).rejects.toBe(reason);
    });

    it.each([0, 25])('throws the reason of a signal that aborts after %i ms, within 100 ms', async (delayMs) => {
      const reason = new Error('enough');
      const imageJob = generate({ count: 4 }).catch((error: unknown) => error);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      const elapsedMs = startStopwatch();
      controller.abort(reason);
      expect(await imageJob).toBe(reason);
      expect(elapsedMs()).toBeLessThan(100);
    });

    it('generates again after an aborted request', async () => {
      const aborted = generate().catch((error: unknown) => error);
      controller.abort(new Error('enough'));
      await aborted;
      controller = new AbortController();
      await expectWhole(await generate(), 1);
    });
  });
}

/** Decodes every pixel of every image. */
async function expectWhole(result: ImageResult, maxCount: number) {
  expect(result.images.length).toBeGreaterThanOrEqual(1);
  expect(result.images.length).toBeLessThanOrEqual(maxCount);
  return Promise.all(
    result.images.map(async ({ bytes }) => {
      const { info } = await sharp(bytes, { failOn: 'warning' }).raw().toBuffer({ resolveWithObject: true });
      return { width: info.width, height: info.height };
    }),
  );
}
