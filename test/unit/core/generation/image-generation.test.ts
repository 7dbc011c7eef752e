import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { UsageEntry } from '../../../../src/core/accounts/usage-recorder.ts';
import {
  createImageGeneration,
  type GenerateImagesOptions,
  type ImageGenerationOptions,
} from '../../../../src/core/generation/image-generation.ts';
import type { FindPrice } from '../../../../src/core/generation/metering/cost.ts';
import { ASPECT_RATIOS, parseRatio, UnreadableImageError } from '../../../../src/core/images/index.ts';
import {
  AllProvidersFailedError,
  type DrawnImage,
  type ImageModel,
  type ImageRequest,
  type ImageResult,
  ProviderRejectedError,
  ProviderUnavailableError,
} from '../../../../src/core/models/index.ts';
import { QueueFullError } from '../../../../src/lib/async/work-queue.ts';
import { failureOf, noAbort } from '../../../support/hosts/provider-under-test.ts';
import { createFakeClock } from '../../../support/machine/fake-clock.ts';
import { drawPng } from '../../../support/samples/media.ts';

const CALLER = { userId: 7, keyId: 3 };
const FOX: GenerateImagesOptions = { model: 'painter', prompt: 'a fox', ratio: { width: 1, height: 1 }, count: 1 };

type Answer = (request: ImageRequest, signal: AbortSignal, number: number) => Promise<ImageResult> | ImageResult;

/** Images of these seeds as a provider returns them. */
function drawn(images: readonly Partial<DrawnImage>[]): ImageResult {
  return {
    images: images.map((image) => ({
      bytes: drawPng(64, 48),
      format: 'png',
      width: 64,
      height: 48,
      ...image,
    })),
    provider: 'host',
    model: 'p-1',
  };
}

/** A generation with a scripted model; `number` counts the requests from 0. */
function createStage(
  answer: Answer = () => drawn([{}]),
  { findPrice, ...options }: ImageGenerationOptions & { findPrice?: FindPrice } = {},
) {
  const requests: ImageRequest[] = [];
  const recorded: UsageEntry[] = [];
  const clock = createFakeClock();
  const image: ImageModel = {
    async generate(request, signal) {
      signal.throwIfAborted();
      requests.push(request);
      return answer(request, signal, requests.length - 1);
    },
  };
  const usage = {
    record: (entry: UsageEntry) => void recorded.push(entry),
    flush: async () => {},
    waitingCount: () => 0,
    close: async () => {},
  };
  const generation = createImageGeneration({ image, usage, clock, findPrice }, options);
  return {
    requests,
    recorded,
    clock,
    generation,
    draw: (order: Partial<GenerateImagesOptions> = {}, signal = noAbort(), onWaiting?: (ahead: number) => void) =>
      generation.generate(CALLER, { ...FOX, ...order }, signal, onWaiting),
  };
}

/** Answers when the test resolves it. */
function createGate() {
  const gates: PromiseWithResolvers<ImageResult>[] = [];
  const answer: Answer = (_request, signal) => {
    const gate = Promise.withResolvers<ImageResult>();
    gates.push(gate);
    signal.addEventListener('abort', () => gate.reject(signal.reason), { once: true });
    return gate.promise;
  };
  return { answer, open: (number: number) => gates[number]?.resolve(drawn([{}])), count: () => gates.length };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('image generation', () => {
  it.each(ASPECT_RATIOS)('crops to %s to the pixel', async (text) => {
    const ratio = parseRatio(text) ?? { width: 0, height: 0 };
    const stage = createStage(() => drawn([{ bytes: drawPng(331, 257), width: 331, height: 257 }]));
    const { images } = await stage.draw({ ratio });
    const { info } = await sharp(images[0]?.bytes).raw().toBuffer({ resolveWithObject: true });
    expect(info.width * ratio.height).toBe(info.height * ratio.width);
    expect(images[0]).toMatchObject({ width: info.width, height: info.height, format: 'png' });
  });

  it('returns exactly the requested pixels and file format', async () => {
    const stage = createStage();
    const size = { width: 300, height: 200 };
    const { images } = await stage.draw({ size, ratio: { width: 3, height: 2 }, format: 'webp' });
    expect(await sharp(images[0]?.bytes).metadata()).toMatchObject({ ...size, format: 'webp' });
  });

  it('records the number of images once in the usage ledger', async () => {
    const stage = createStage(async (request) => {
      await stage.clock.advance(1500);
      return drawn(Array.from({ length: request.count }, () => ({})));
    });
    const made = await stage.draw({ count: 3 });
    expect(made).toMatchObject({ id: expect.stringMatching(/^img-/), elapsedMs: 1500 });
    expect(made.tokens).toBe(3 * Math.ceil((48 * 48) / 750));
    expect(stage.recorded).toEqual([
      {
        ...CALLER,
        kind: 'image',
        replyId: made.id,
        model: 'painter',
        provider: 'host',
        promptTokens: 0,
        completionTokens: made.tokens,
        imageCount: 3,
        isEstimated: true,
        finishReason: 'stop',
        durationMs: 1500,
      },
    ]);
  });

  it('records no failed or cancelled requests', async () => {
    const rejected = new ProviderRejectedError('host', 400, {
      message: 'not this',
      param: null,
      code: 'content_policy_violation',
    });
    const refusing = createStage(() => Promise.reject(rejected));
    expect(await failureOf(refusing.draw({ count: 4 }))).toBe(rejected);
    expect(refusing.requests).toHaveLength(1);
    expect(refusing.recorded).toEqual([]);

    const gate = createGate();
    const stopped = createStage(gate.answer);
    const controller = new AbortController();
    const imageJob = failureOf(stopped.draw({}, controller.signal));
    await settle();
    controller.abort(new Error('stop'));
    expect(await imageJob).toMatchObject({ message: 'stop' });
    expect(stopped.recorded).toEqual([]);
  });

  it('records no request that is cancelled after the images arrived', async () => {
    const controller = new AbortController();
    const stage = createStage(() => {
      controller.abort(new Error('stop'));
      return drawn([{}]);
    });
    expect(await failureOf(stage.draw({}, controller.signal))).toMatchObject({ message: 'stop' });
    expect(stage.recorded).toEqual([]);
  });

  it('repeats requests, with other seeds, if the model generates one image at a time', async () => {
    const stage = createStage(({ seed }) => drawn([seed === undefined ? {} : { seed }]));
    const { images } = await stage.draw({ count: 4, seed: 2 ** 31 - 2 });
    expect(images.map(({ seed }) => seed)).toEqual([2 ** 31 - 2, 2 ** 31 - 1, 0, 1]);
    expect(stage.requests.map(({ count }) => count)).toEqual([4, 1, 1, 1]);
    expect(stage.recorded).toMatchObject([{ imageCount: 4 }]);
  });

  it('sends at most three of the repeated requests concurrently', async () => {
    let open = 0;
    let most = 0;
    const stage = createStage(async () => {
      open += 1;
      most = Math.max(most, open);
      await settle();
      open -= 1;
      return drawn([{}]);
    });
    expect((await stage.draw({ count: 10 })).images).toHaveLength(10);
    expect(most).toBe(3);
    expect(stage.requests).toHaveLength(10);
  });

  it('returns no more images than requested', async () => {
    const stage = createStage(() => drawn([{}, {}, {}, {}]));
    expect((await stage.draw({ count: 2 })).images).toHaveLength(2);
  });

  it('returns the images so far if a later request fails', async () => {
    const stage = createStage((_request, _signal, number) => {
      if (number === 2) throw new ProviderUnavailableError('host', 'out of paint');
      return drawn([{ seed: number }]);
    });
    const { images } = await stage.draw({ count: 4 });
    expect(images.map(({ seed }) => seed)).toEqual([0, 1, 3]);
    expect(stage.requests).toHaveLength(4);
    expect(stage.recorded).toMatchObject([{ imageCount: 3 }]);
  });

  it('stops completely when it is aborted after the first image', async () => {
    const controller = new AbortController();
    const stage = createStage((_request, signal, number) => {
      if (number === 0) return drawn([{}]);
      controller.abort(new Error('stop'));
      return Promise.reject(signal.reason);
    });
    expect(await failureOf(stage.draw({ count: 4 }, controller.signal))).toMatchObject({ message: 'stop' });
    expect(stage.recorded).toEqual([]);
  });

  it('omits a broken image among good ones', async () => {
    const broken = drawPng(64, 48).subarray(0, 60);
    const stage = createStage(() => drawn([{ seed: 1 }, { seed: 2, bytes: broken }, { seed: 3 }]));
    expect((await stage.draw({ count: 3 })).images.map(({ seed }) => seed)).toEqual([1, 3]);
    expect(stage.recorded).toMatchObject([{ imageCount: 2 }]);
  });

  it('blames the provider, not the user, if every image is broken', async () => {
    const stage = createStage(() => drawn([{ bytes: Buffer.from('<html>') }]));
    const failure = await failureOf(stage.draw());
    expect(failure).toBeInstanceOf(AllProvidersFailedError);
    expect(failure).toMatchObject({ model: 'painter', failures: [{ provider: 'host' }] });
    expect(stage.recorded).toEqual([]);
  });

  it('sends an image to edit in a format that every model accepts', async () => {
    const stage = createStage();
    await stage.draw({ sources: [await sharp(drawPng(40, 30)).gif().toBuffer()] });
    expect(await sharp(stage.requests[0]?.sources?.[0]).metadata()).toMatchObject({
      format: 'png',
      width: 40,
      height: 30,
    });
  });

  it('refuses to edit a file that is no image before it asks a provider', async () => {
    const stage = createStage();
    const failure = await failureOf(stage.draw({ sources: [Buffer.from('no picture')] }));
    expect(failure).toBeInstanceOf(UnreadableImageError);
    expect(stage.requests).toEqual([]);
  });

  it('forwards all options of a request except its own', async () => {
    const stage = createStage();
    const wish = { seed: 5, options: { quality: 'high' }, ratio: { width: 16, height: 9 }, count: 1 };
    await stage.draw({ ...wish, format: 'jpeg' });
    expect(stage.requests).toEqual([{ ...FOX, ...wish }]);
  });

  it('runs two requests of a user at a time; the others wait in order and get their position', async () => {
    const gate = createGate();
    const stage = createStage(gate.answer);
    const told: string[] = [];
    const orders = ['a', 'b', 'c', 'd'].map((prompt) =>
      stage.draw({ prompt }, noAbort(), (ahead) => told.push(`${prompt} ${ahead}`)),
    );
    await settle();
    expect(stage.requests.map(({ prompt }) => prompt)).toEqual(['a', 'b']);
    expect(told).toEqual(['c 2', 'd 3']);
    gate.open(1);
    await orders[1];
    await settle();
    expect(stage.requests.map(({ prompt }) => prompt)).toEqual(['a', 'b', 'c']);
    expect(told).toEqual(['c 2', 'd 3', 'd 2']);
    for (const number of [0, 2]) gate.open(number);
    await orders[2];
    await settle();
    gate.open(3);
    expect(await Promise.all(orders)).toHaveLength(4);
    expect(stage.recorded).toHaveLength(4);
  });

  it('does not count waiting as generation time', async () => {
    const gate = createGate();
    const stage = createStage(gate.answer, { perUser: 1 });
    const first = stage.draw();
    const second = stage.draw();
    await settle();
    await stage.clock.advance(9000);
    gate.open(0);
    await first;
    await settle();
    await stage.clock.advance(500);
    gate.open(1);
    expect((await second).elapsedMs).toBe(500);
  });

  it('refuses an eleventh waiting request', async () => {
    const gate = createGate();
    const stage = createStage(gate.answer, { perUser: 1 });
    const controller = new AbortController();
    const orders = Array.from({ length: 11 }, () => failureOf(stage.draw({}, controller.signal)));
    expect(await failureOf(stage.draw())).toBeInstanceOf(QueueFullError);
    controller.abort(new Error('stop'));
    for (const failure of await Promise.all(orders)) expect(failure).toMatchObject({ message: 'stop' });
  });

  it('removes a waiting request that is cancelled', async () => {
    const gate = createGate();
    const stage = createStage(gate.answer, { perUser: 1 });
    const controller = new AbortController();
    const first = stage.draw({ prompt: 'a' });
    const waiting = failureOf(stage.draw({ prompt: 'b' }, controller.signal));
    controller.abort(new Error('stop'));
    expect(await waiting).toMatchObject({ message: 'stop' });
    await settle();
    gate.open(0);
    await first;
    await settle();
    expect(stage.requests.map(({ prompt }) => prompt)).toEqual(['a']);
  });
});

describe('usage that the host reports', () => {
  const usage = { promptTokens: 50, completionTokens: 1000, costUsd: 0.02 };

  it('is recorded with its cost', async () => {
    const stage = createStage(() => ({ ...drawn([{}]), usage }));
    await stage.draw();
    expect(stage.recorded).toMatchObject([{ ...usage, imageCount: 1, isEstimated: false }]);
  });

  it('is that of all requests, and unknown if one of them reports none', async () => {
    const stage = createStage(() => ({ ...drawn([{}]), usage }));
    await stage.draw({ count: 3 });
    expect(stage.recorded).toMatchObject([{ promptTokens: 150, completionTokens: 3000, costUsd: 0.06 }]);
    const silent = createStage((_request, _signal, number) => ({ ...drawn([{}]), ...(number === 0 ? { usage } : {}) }));
    await silent.draw({ count: 2 });
    expect(silent.recorded).toMatchObject([{ costUsd: undefined, isEstimated: true }]);
  });

  it('costs what each answer was: of its own quality and its own provider', async () => {
    const rates = [
      { quality: 'low', usd: 0.01 },
      { quality: 'high', usd: 0.2 },
    ];
    const answers = [{ quality: 'low' }, { quality: 'high' }, { provider: 'other' }];
    const stage = createStage((_request, _signal, number) => ({ ...drawn([{}]), ...answers[number] }), {
      findPrice: (provider) => (provider === 'other' ? { image: 0.5 } : { image: 0.2, imageRates: rates }),
    });
    await stage.draw({ count: 3 });
    expect(stage.recorded).toMatchObject([{ costUsd: 0.71, imageCount: 3 }]);
  });
});
