import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readImage } from '../../../../../../src/core/images/index.ts';
import type { StableDiffusionWebUiConfig } from '../../../../../../src/core/models/hosts/stable-diffusion-webui/stable-diffusion-webui-config.ts';
import { createStableDiffusionWebUiProvider } from '../../../../../../src/core/models/hosts/stable-diffusion-webui/stable-diffusion-webui-provider.ts';
import {
  type ImageRequest,
  ProviderRejectedError,
  ProviderTimeoutError,
  ProviderUnavailableError,
} from '../../../../../../src/core/models/index.ts';
import { systemClock } from '../../../../../../src/lib/clock.ts';
import { answerJson, answerRaw, die, hang } from '../../../../../support/hosts/fake-provider.ts';
import { type FakeWebUi, startFakeWebUi, WEBUI_MODELS, webUiAnswer } from '../../../../../support/hosts/fake-webui.ts';
import { failureOf, noAbort } from '../../../../../support/hosts/provider-under-test.ts';
import { createFakeClock, type FakeClock } from '../../../../../support/machine/fake-clock.ts';
import { startStopwatch } from '../../../../../support/machine/measure.ts';
import { drawPng } from '../../../../../support/samples/media.ts';

let webUi: FakeWebUi;
let clock: FakeClock;
const closers: (() => Promise<void>)[] = [];
beforeEach(async () => {
  webUi = await startFakeWebUi();
  clock = createFakeClock();
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await webUi.close();
});

function create(config: Partial<StableDiffusionWebUiConfig> = {}, time: 'fake' | 'real' = 'real') {
  const provider = createStableDiffusionWebUiProvider(
    { clock: time === 'fake' ? clock : systemClock, random: () => 0.5 },
    { kind: 'stable-diffusion-webui', name: 'studio', baseUrl: webUi.url, apiKeys: [], ...config },
  );
  closers.push(() => provider.close());
  return provider;
}
const order = (fields: Partial<ImageRequest> = {}): ImageRequest => ({
  model: 'sd_xl_base_1.0',
  prompt: 'a red fox in snow',
  ratio: { width: 1, height: 1 },
  count: 1,
  ...fields,
});

describe('the models of a WebUI', () => {
  it('are its checkpoints, under names that can be typed', async () => {
    const provider = create();
    expect(provider.chat).toBeUndefined();
    expect(await provider.listModels(noAbort())).toEqual([
      { id: 'sd_xl_base_1.0', type: 'image', displayName: WEBUI_MODELS[0]?.title, acceptsImages: true },
      { id: 'anime_Anything-V5-ink', type: 'image', displayName: WEBUI_MODELS[1]?.title, acceptsImages: true },
    ]);
  });

  it('stay distinct if two names become the same', async () => {
    webUi.behaveAtModels(answerJson(200, [{ title: 'a b' }, { title: 'a (b)' }, { title: '???' }, { hash: 'x' }]));
    const ids = (await create().listModels(noAbort())).map(({ id }) => id);
    expect(ids).toEqual(['a-b', 'a-b-2', 'model']);
  });

  it.each([
    ['a web page', answerRaw(200, 'text/html', '<html>hello</html>')],
    ['something else', answerJson(200, { models: [] })],
  ])('are not read from %s', async (_, behaviour) => {
    webUi.behaveAtModels(behaviour);
    await expect(create().listModels(noAbort())).rejects.toThrow('studio sent something that is not a list of models');
  });

  it('are requested with the login of --api-auth, from the keys or the address', async () => {
    await create({ apiKeys: ['me:se:cret'] }).listModels(noAbort());
    const withLogin = webUi.url.replace('http://', 'http://me:p%40ss@');
    await create({ baseUrl: `${withLogin}/` }).listModels(noAbort());
    expect(webUi.host.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Basic ${Buffer.from('me:se:cret').toString('base64')}`,
      `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
    ]);
  });
});

describe('a WebUI request', () => {
  it('uses the requested model, with about its native number of pixels', async () => {
    const provider = create();
    const result = await provider.image.generate(order({ ratio: { width: 16, height: 9 }, seed: 7 }), noAbort());
    expect(webUi.orders()[0]?.url).toBe('/sdapi/v1/txt2img');
    expect(webUi.orders()[0]?.body).toEqual({
      prompt: 'a red fox in snow',
      width: 1344,
      height: 768,
      batch_size: 1,
      n_iter: 1,
      seed: 7,
      steps: 25,
      cfg_scale: 7,
      override_settings: { sd_model_checkpoint: 'sd_xl_base_1.0.safetensors [31e35c80fc]' },
      override_settings_restore_afterwards: false,
      send_images: true,
      save_images: false,
    });
    expect(result).toMatchObject({ provider: 'studio', model: 'sd_xl_base_1.0', images: [{ seed: 7 }] });
    expect(await readImage(result.images[0]?.bytes ?? Buffer.alloc(0))).toMatchObject({ width: 1344, height: 768 });
  });

  it.each([
    ['21:9', 'sdxl', [1536, 640]],
    ['9:21', 'sdxl', [640, 1536]],
    ['3:2', 'ponyDiffusionV6', [1280, 832]],
    ['1:1', 'v1-5-pruned', [512, 512]],
    ['4:5', 'v1-5-pruned', [448, 576]],
    ['1:1', 'v2-1_768-ema-pruned', [768, 768]],
    ['100:1', 'v1-5-pruned', [2048, 256]],
  ])('at %s by %s has sides that are multiples of 64 pixels', async (ratio, model, sides) => {
    webUi.behaveAtModels(answerJson(200, [{ title: model, model_name: model }]));
    const [width = 1, height = 1] = ratio.split(':').map(Number);
    await create().image.generate(order({ model, ratio: { width, height } }), noAbort());
    const body = webUi.orders()[0]?.body;
    expect([body?.width, body?.height]).toEqual(sides);
  });

  it('for several images runs as one batch, four at most, and each image has its seed', async () => {
    const { images } = await create().image.generate(order({ count: 10, seed: 100 }), noAbort());
    expect(webUi.orders()[0]?.body.batch_size).toBe(4);
    expect(images.map(({ seed }) => seed)).toEqual([100, 101, 102, 103]);
  });

  it('without a seed gets one that can be requested again', async () => {
    const { images } = await create().image.generate(order(), noAbort());
    expect(images[0]?.seed).toBe(webUi.orders()[0]?.body.seed);
    expect(images[0]?.seed).toBe(Math.floor((2 ** 31 - 2) / 2));
  });

  it('with an image edits it, cropped to the new ratio', async () => {
    const source = drawPng(20, 10);
    const { images } = await create().image.generate(order({ sources: [source] }), noAbort());
    expect(images).toHaveLength(1);
    expect(webUi.orders()[0]?.url).toBe('/sdapi/v1/img2img');
    expect(webUi.orders()[0]?.body).toMatchObject({
      init_images: [source.toString('base64')],
      denoising_strength: 0.6,
      resize_mode: 1,
    });
  });

  it('with a mask edits its transparent areas, which the WebUI counts the other way round', async () => {
    const mask = drawPng(20, 10);
    await create().image.generate(order({ sources: [drawPng(20, 10)], mask }), noAbort());
    expect(webUi.orders()[0]?.body).toMatchObject({ mask: mask.toString('base64'), inpainting_mask_invert: 1 });
  });

  it('refuses several images to edit', async () => {
    const sources = [drawPng(20, 10), drawPng(20, 10)];
    const failure = await failureOf(create().image.generate(order({ sources }), noAbort()));
    expect(failure).toMatchObject({ details: { param: 'image', code: 'image_edit_unsupported' } });
    expect(webUi.orders()).toHaveLength(0);
  });

  it.each([
    ['flux1-schnell', { steps: 4, cfg_scale: 1 }],
    ['sdxl_lightning_8step', { steps: 8, cfg_scale: 1.5 }],
    ['flux1-dev', { steps: 20, cfg_scale: 1 }],
  ])('of the distilled %s has few steps', async (model, sampling) => {
    webUi.behaveAtModels(answerJson(200, [{ title: model, model_name: model }]));
    await create().image.generate(order({ model }), noAbort());
    expect(webUi.orders()[0]?.body).toMatchObject(sampling);
  });

  it('has the settings of the operator, which can not replace the prompt and the model', async () => {
    const parameters = {
      steps: 12,
      negative_prompt: 'blurry',
      prompt: 'something else',
      denoising_strength: 0.3,
      override_settings: { CLIP_stop_at_last_layers: 2, sd_model_checkpoint: 'other' },
    };
    const provider = create({ nativeSize: 768, parameters });
    await provider.image.generate(order({ sources: [drawPng(8, 8)] }), noAbort());
    expect(webUi.orders()[0]?.body).toMatchObject({
      width: 768,
      height: 768,
      steps: 12,
      negative_prompt: 'blurry',
      prompt: 'a red fox in snow',
      denoising_strength: 0.3,
      override_settings: { CLIP_stop_at_last_layers: 2, sd_model_checkpoint: WEBUI_MODELS[0]?.title },
    });
  });

  it('for a model that was removed goes to other providers', async () => {
    const failure = await failureOf(create().image.generate(order({ model: 'gone' }), noAbort()));
    expect(failure).toBeInstanceOf(ProviderUnavailableError);
    expect(failure).toMatchObject({ status: 404 });
    expect(webUi.orders()).toHaveLength(0);
  });
});

describe('a WebUI response', () => {
  const drawnBy = (fields: Record<string, unknown>, images: (files: readonly string[]) => readonly string[]) =>
    webUi.behave((exchange) => {
      const answer = webUiAnswer(exchange.request, fields);
      return answerJson(200, { ...answer, images: images(answer.images) })(exchange);
    });

  it('may have data URLs, a grid before the images and maps after them', async () => {
    const grid = drawPng(2, 2).toString('base64');
    drawnBy({ index_of_first_image: 1 }, (files) => [
      grid,
      ...files.map((file) => `data:image/png;base64,${file}`),
      grid,
    ]);
    const { images } = await create().image.generate(order({ count: 2, seed: 5 }), noAbort());
    expect(images.map(({ seed }) => seed)).toEqual([5, 6]);
    for (const { bytes } of images) expect((await readImage(bytes)).width).toBe(1024);
  });

  it('may contain no seeds', async () => {
    webUi.behave((exchange) => answerJson(200, { ...webUiAnswer(exchange.request), info: '' })(exchange));
    const { images } = await create().image.generate(order({ count: 2 }), noAbort());
    expect(images.map(({ seed }) => seed)).toEqual([undefined, undefined]);
  });

  it.each([
    ['is cut off', (file: string) => file.slice(0, file.length / 2), "studio sent an image that can't be read"],
    ['is no base64', () => '<<<<????>>>>', "studio sent an image that can't be read"],
    ['is empty', () => '', "studio sent an image that can't be read"],
    ['is 64 MiB and more', () => 'A'.repeat(90 * 1024 * 1024), 'studio sent an image that is too large'],
  ])('whose image %s is invalid', async (_, damage, message) => {
    drawnBy({}, (files) => files.map(damage));
    const failure = await failureOf(create().image.generate(order(), noAbort()));
    expect(failure).toBeInstanceOf(ProviderUnavailableError);
    expect(failure).toMatchObject({ message });
  });

  it.each([
    ['a web page', answerRaw(200, 'text/html', '<html>Gradio</html>'), 'studio sent something without images'],
    ['half an object', answerRaw(200, 'application/json', '{"images": ["iVBO'), 'studio sent something without images'],
    ['an empty list', answerJson(200, { images: [], info: '{}' }), 'studio sent something without images'],
    ['numbers', answerJson(200, { images: [5], info: '{}' }), 'studio sent no image'],
    ['no answer at all', die(), 'studio could not be reached (UND_ERR_SOCKET)'],
    [
      'an exception',
      answerJson(500, { error: 'OutOfMemoryError', detail: '', body: '', errors: 'CUDA out of memory. Tried 20 GiB' }),
      'studio answered 500: CUDA out of memory. Tried 20 GiB',
    ],
    [
      'a refused login',
      answerJson(401, { error: 'HTTPException', detail: 'Incorrect username or password', body: '', errors: '' }),
      'studio answered 401: Incorrect username or password',
    ],
  ])('may be %s: then other providers are asked', async (_, behaviour, message) => {
    // A broken connection is retried once, because the host may have closed it as idle.
    webUi.behave(behaviour, behaviour);
    const failure = await failureOf(create().image.generate(order(), noAbort()));
    expect(failure).toBeInstanceOf(ProviderUnavailableError);
    expect(failure).toMatchObject({ message });
    expect(webUi.interrupts()).toHaveLength(0);
  });

  it('may be a refusal of the request itself', async () => {
    webUi.behave(answerJson(422, { detail: [{ loc: ['body', 'width'], msg: 'value is too large', type: 'x' }] }));
    const failure = await failureOf(create().image.generate(order(), noAbort()));
    expect(failure).toBeInstanceOf(ProviderRejectedError);
    expect(failure).toMatchObject({ status: 422, details: { message: 'value is too large' } });
  });
});

describe('an abort', () => {
  const reason = new Error('the person has pressed Stop');

  it('reaches the socket at once and interrupts the generation, too', async () => {
    const controller = new AbortController();
    webUi.behave(hang());
    const failure = failureOf(create({}, 'fake').image.generate(order(), controller.signal));
    const request = await webUi.order(0);
    const elapsedMs = startStopwatch();
    controller.abort(reason);
    expect(await failure).toBe(reason);
    await request.closed;
    expect(elapsedMs()).toBeLessThan(100);
    await expect.poll(() => webUi.interrupts().length).toBe(1);
    await expect.poll(() => clock.pending).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('of a waiting request does not affect the running one', async () => {
    const [working, waiting] = [new AbortController(), new AbortController()];
    webUi.behave(hang());
    const provider = create({}, 'fake');
    const first = failureOf(provider.image.generate(order(), working.signal));
    await webUi.order(0);
    const second = failureOf(provider.image.generate(order(), waiting.signal));
    const third = provider.image.generate(order(), noAbort());
    // Both are in the queue now.
    await clock.advance(0);
    waiting.abort(reason);
    expect(await second).toBe(reason);
    expect(webUi.orders()).toHaveLength(1);
    expect(webUi.interrupts()).toHaveLength(0);
    working.abort(reason);
    expect(await first).toBe(reason);
    // Its place in the queue is free, too.
    expect((await third).images).toHaveLength(1);
    expect(webUi.interrupts()).toHaveLength(1);
  });

  it('starts the next request only when the WebUI has received the interrupt', async () => {
    const controller = new AbortController();
    let answerInterrupt = () => {};
    webUi.behaveAtInterrupt(async (exchange) => {
      await new Promise<void>((resolve) => {
        answerInterrupt = resolve;
      });
      return answerJson(200, {})(exchange);
    });
    webUi.behave(hang());
    const provider = create({}, 'fake');
    const first = failureOf(provider.image.generate(order(), controller.signal));
    await webUi.order(0);
    const next = provider.image.generate(order(), noAbort());
    controller.abort(reason);
    await first;
    await expect.poll(() => webUi.interrupts().length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(webUi.orders()).toHaveLength(1);
    answerInterrupt();
    expect((await next).images).toHaveLength(1);
  });

  it('that does not reach the WebUI delays the next request by three seconds at most', async () => {
    const controller = new AbortController();
    webUi.behaveAtInterrupt(hang());
    webUi.behave(hang());
    const provider = create({}, 'fake');
    const first = failureOf(provider.image.generate(order(), controller.signal));
    await webUi.order(0);
    const next = provider.image.generate(order(), noAbort());
    controller.abort(reason);
    await first;
    await expect.poll(() => webUi.interrupts().length).toBe(1);
    await clock.advance(3000);
    expect((await next).images).toHaveLength(1);
  });

  it('before the start sends no request', async () => {
    const controller = new AbortController();
    controller.abort(reason);
    await expect(create().image.generate(order(), controller.signal)).rejects.toBe(reason);
    expect(webUi.orders()).toHaveLength(0);
  });
});

describe('a slow WebUI', () => {
  it('times out after ten minutes, and is interrupted', async () => {
    webUi.behave(hang());
    const failure = failureOf(create({}, 'fake').image.generate(order(), noAbort()));
    await webUi.order(0);
    await clock.advance(600_000);
    expect(await failure).toBeInstanceOf(ProviderTimeoutError);
    await expect.poll(() => webUi.interrupts().length).toBe(1);
  });

  it('runs one request after the other, and queues 32', async () => {
    let drawFirst = () => {};
    webUi.behave(async (exchange) => {
      await new Promise<void>((resolve) => {
        drawFirst = resolve;
      });
      return answerJson(200, webUiAnswer(exchange.request))(exchange);
    });
    webUi.behaveAtModels(answerJson(200, [{ title: 'small', model_name: 'small' }]));
    const provider = create({ nativeSize: 256 });
    await provider.listModels(noAbort());
    const drawn = Array.from({ length: 33 }, (_, seed) =>
      provider.image.generate(order({ model: 'small', seed }), noAbort()),
    );
    await webUi.order(0);
    const failure = await failureOf(provider.image.generate(order({ model: 'small' }), noAbort()));
    expect(failure).toMatchObject({ message: 'studio already has too many images to create' });
    expect(webUi.orders()).toHaveLength(1);
    drawFirst();
    await Promise.all(drawn);
    expect(webUi.orders().map(({ body }) => body.seed)).toEqual(Array.from({ length: 33 }, (_, seed) => seed));
  });
});
