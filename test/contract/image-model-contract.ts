import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ImageModel,
  type ImageRequest,
  type ImageResult,
  ModelNotFoundError,
  ProviderError,
} from '../../src/core/models/index.ts';
import { startStopwatch } from '../support/stopwatch.ts';

/** A model under test and what takes it down. */
export interface ImageModelFixture {
  readonly model: ImageModel;
  /** A name that it serves. */
  readonly modelName: string;
  close(): Promise<void>;
}

/**
 * What everything that calls itself an ImageModel promises. The model must take 50 ms or more to draw `a fox`, so that
 * there is a middle to abort in; `create` starts a fresh one for each test.
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

    it('draws a picture that can be decoded to its end', async () => {
      await expectWhole(await generate(), 1);
    });

    it.each([1, 2, 4, 10])('draws at least one and at most %i of %i pictures wanted', async (count) => {
      await expectWhole(await generate({ count }), count);
    });

    it('takes every ratio, whether it has it or only one that is near', async () => {
      for (const ratio of [
        { width: 16, height: 9 },
        { width: 21, height: 9 },
        { width: 9, height: 21 },
        { width: 4, height: 5 },
      ]) {
        const [image] = await expectWhole(await generate({ ratio }), 1);
        // A tall picture must not come out wide.
        expect(Math.sign((image?.width ?? 0) - (image?.height ?? 0))).not.toBe(Math.sign(ratio.height - ratio.width));
      }
    });

    it('takes a size, a seed and options', async () => {
      const size = { width: 1024, height: 1024 };
      await expectWhole(await generate({ size, seed: 2 ** 31 - 1, options: { quality: 'high' } }), 1);
    });

    it('takes a prompt in any words', async () => {
      for (const prompt of ['狐', '🦊', '<b>&amp;</b> "\\', 'лиса '.repeat(200)]) {
        await expectWhole(await generate({ prompt }), 1);
      }
    });

    it('says who drew', async () => {
      expect(await generate()).toMatchObject({
        provider: expect.stringMatching(/./),
        model: expect.stringMatching(/./),
      });
    });

    it('refuses a model that it does not know', async () => {
      const failure = await generate({ model: 'no-such-model' }).catch((error: unknown) => error);
      expect(failure instanceof ProviderError || failure instanceof ModelNotFoundError).toBe(true);
    });

    it('throws the reason of a signal that was aborted before', async () => {
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

    it('draws again after one was aborted', async () => {
      const aborted = generate().catch((error: unknown) => error);
      controller.abort(new Error('enough'));
      await aborted;
      controller = new AbortController();
      await expectWhole(await generate(), 1);
    });
  });
}

/** Decodes every pixel of every picture. */
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
