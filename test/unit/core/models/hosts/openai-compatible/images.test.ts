import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDemoProvider } from '../../../../../../demo/demo-provider.ts';
import type { OpenAiCompatibleConfig } from '../../../../../../src/core/models/hosts/openai-compatible/openai-compatible-config.ts';
import { toPresetProvider } from '../../../../../../src/core/models/hosts/settings/preset-provider.ts';
import { findPreset } from '../../../../../../src/core/models/hosts/settings/presets.ts';
import type { ImageRequest, ImageResult } from '../../../../../../src/core/models/index.ts';
import { createMemoryDiscoveryCache, createModels } from '../../../../../../src/core/models/index.ts';
import { systemClock } from '../../../../../../src/lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../../../../../src/lib/json/json.ts';
import { createLogger } from '../../../../../../src/lib/log/logger.ts';
import { answerJson, answerRaw, type Behaviour, openAiError } from '../../../../../support/hosts/fake-provider.ts';
import {
  failureOf,
  noAbort,
  type ProviderUnderTest,
  startProviderUnderTest,
} from '../../../../../support/hosts/provider-under-test.ts';
import { drawPng } from '../../../../../support/samples/media.ts';

const PICTURE = drawPng(64, 64);
const BASE64 = PICTURE.toString('base64');
const drawn = (...entries: JsonObject[]) => answerJson(200, { created: 1_767_225_600, data: entries });
const ONE = drawn({ b64_json: BASE64 });

let under: ProviderUnderTest;
const start = async (config: Partial<OpenAiCompatibleConfig> = {}) => {
  under = await startProviderUnderTest(config);
  under.host.behaveElsewhere(ONE);
};
/** The preset's provider, with its host played by the loopback server. */
const startPreset = (name: string) => {
  const preset = findPreset(name);
  if (!preset) throw new Error(`there is no preset ${name}`);
  const { baseUrl: _, ...config } = toPresetProvider(preset, ['sk-first-key']);
  if (config.kind !== 'openai-compatible') throw new Error(`${name} has no images`);
  return start(config);
};
const draw = (fields: Partial<ImageRequest> = {}, signal = noAbort()): Promise<ImageResult> => {
  const { image } = under.provider;
  if (!image) throw new Error('the provider draws nothing');
  const request = { model: 'flux-schnell', prompt: 'a red fox', ratio: { width: 1, height: 1 }, count: 1, ...fields };
  return image.generate(request, signal);
};
const bodies = () => under.host.requests.map(({ body }) => body);
const answerInTurn = (...behaviours: Behaviour[]): Behaviour => {
  const queue = [...behaviours];
  return (exchange) => (queue.length > 1 ? queue.shift() : queue[0])?.(exchange);
};
const ratio = (width: number, height: number) => ({ width, height });

afterEach(() => under.close());

describe('an image request', () => {
  it('returns the tokens or the cost that the host reports', async () => {
    await start();
    expect((await draw()).usage).toBeUndefined();
    const usage = {
      input_tokens: 50,
      output_tokens: 1056,
      input_tokens_details: { text_tokens: 10, image_tokens: 40 },
    };
    under.host.behaveElsewhere(answerJson(200, { data: [{ b64_json: BASE64 }], usage }));
    expect((await draw()).usage).toEqual({ promptTokens: 50, completionTokens: 1056, imageInputTokens: 40 });
    under.host.behaveElsewhere(
      answerJson(200, { data: [{ b64_json: BASE64 }], usage: { cost_in_usd_ticks: 200_000_000 } }),
    );
    expect((await draw()).usage).toEqual({ promptTokens: 0, completionTokens: 0, costUsd: 0.02 });
  });

  it("calls OpenAI's images endpoint", async () => {
    await start();
    const result = await draw({ count: 2, seed: 7 });
    expect(under.host.requests).toMatchObject([
      {
        method: 'POST',
        url: '/v1/images/generations',
        headers: { authorization: 'Bearer sk-first-key', 'content-type': 'application/json' },
        body: {
          model: 'flux-schnell',
          prompt: 'a red fox',
          n: 2,
          size: '1024x1024',
          seed: 7,
          response_format: 'b64_json',
        },
      },
    ]);
    expect(result).toEqual({
      images: [expect.objectContaining({ bytes: PICTURE, seed: 7, revisedPrompt: undefined })],
      provider: 'host',
      model: 'flux-schnell',
    });
  });

  it.each([
    ['gpt-image-1', ratio(1, 1), '1024x1024'],
    ['gpt-image-1.5', ratio(16, 9), '1536x1024'],
    ['openai/gpt-image-1-mini', ratio(9, 16), '1024x1536'],
    ['chatgpt-image-latest', ratio(5, 4), '1536x1024'],
    ['dall-e-3', ratio(3, 2), '1792x1024'],
    ['dall-e-3', ratio(9, 21), '1024x1792'],
    ['dall-e-3', ratio(8, 7), '1024x1024'],
    ['dall-e-2', ratio(21, 9), '1024x1024'],
  ])('for %s in %o has the nearest size that the model family supports', async (model, wanted, size) => {
    await start();
    await draw({ model, ratio: wanted });
    expect(bodies()).toMatchObject([{ size }]);
  });

  it("has a size of the family that covers the client's size", async () => {
    await start();
    await draw({ model: 'dall-e-2', size: ratio(300, 300) });
    await draw({ model: 'dall-e-2', size: ratio(256, 256) });
    await draw({ model: 'dall-e-2', size: ratio(2000, 2000) });
    expect(bodies().map(({ size }) => size)).toEqual(['512x512', '256x256', '1024x1024']);
  });

  it("omits fields that OpenAI's families do not support", async () => {
    await start();
    await draw({ model: 'gpt-image-1', count: 4, seed: 1 });
    await draw({ model: 'dall-e-3', count: 4, seed: 1 });
    expect(bodies()).toEqual([
      { model: 'gpt-image-1', prompt: 'a red fox', n: 4, size: '1024x1024' },
      { model: 'dall-e-3', prompt: 'a red fox', size: '1024x1024', response_format: 'b64_json' },
    ]);
  });

  it('forwards other fields of the client, and none of ours', async () => {
    await start();
    const extraFields = {
      quality: 'high',
      background: 'transparent',
      stream: true,
      n: 9,
      prompt: 'other',
      size: '1x1',
    };
    await draw({ model: 'gpt-image-1', extraFields });
    expect(bodies()).toEqual([
      { model: 'gpt-image-1', prompt: 'a red fox', quality: 'high', background: 'transparent', size: '1024x1024' },
    ]);
  });

  it.each([
    ['together', { width: 1376, height: 768, n: 2, seed: 7, response_format: 'base64' }],
    ['xai', { aspect_ratio: '16:9', n: 2, seed: 7, response_format: 'b64_json' }],
    ['nebius', { width: 1376, height: 768, n: 2, seed: 7, response_format: 'b64_json' }],
    ['siliconflow', { image_size: '1376x768', batch_size: 2, seed: 7 }],
    ['zai', { size: '1376x768', n: 2, seed: 7 }],
    ['venice', { size: '1792x1024', n: 2, seed: 7, response_format: 'b64_json' }],
    ['deepinfra', { size: '1376x768', n: 2, seed: 7, response_format: 'b64_json' }],
    ['google', { size: '1376x768', n: 2, seed: 7, response_format: 'b64_json' }],
  ])('uses the dialect of %s', async (preset, fields) => {
    await startPreset(preset);
    await draw({ ratio: ratio(16, 9), count: 2, seed: 7 });
    expect(bodies()).toEqual([{ model: 'flux-schnell', prompt: 'a red fox', ...fields }]);
  });

  it('asks xAI for the nearest supported ratio', async () => {
    await startPreset('xai');
    await draw({ ratio: ratio(21, 9) });
    expect(bodies()).toMatchObject([{ aspect_ratio: '20:9' }]);
  });
});

describe('an image response', () => {
  beforeEach(() => start());

  it.each([
    ['base64', { data: [{ b64_json: BASE64 }] }],
    ['a data URL', { data: [{ url: `data:image/png;base64,${BASE64}` }] }],
    ['base64 in `images`', { images: [{ b64_json: BASE64 }] }],
    ['bare base64 in `images`', { images: [BASE64] }],
    ['bare data URLs', { images: [`data:image/png;base64,${BASE64}`], data: [] }],
    ['an empty error', { error: null, data: [{ b64_json: BASE64 }] }],
  ])('as %s is decoded', async (_, body) => {
    under.host.behaveElsewhere(answerJson(200, body));
    expect((await draw()).images).toMatchObject([{ bytes: PICTURE }]);
  });

  it('contains the revised prompt and the seeds', async () => {
    under.host.behaveElsewhere(
      answerJson(200, {
        data: [{ b64_json: BASE64, revised_prompt: 'A red fox, at dusk', seed: 11 }, { b64_json: BASE64 }],
      }),
    );
    expect((await draw({ count: 2 })).images).toMatchObject([
      { revisedPrompt: 'A red fox, at dusk', seed: 11 },
      { revisedPrompt: undefined, seed: undefined },
    ]);
    under.host.behaveElsewhere(answerJson(200, { images: [{ b64_json: BASE64 }], seed: 42 }));
    expect((await draw()).images).toMatchObject([{ seed: 42 }]);
    // A seed that can not be requested again is omitted.
    under.host.behaveElsewhere(answerJson(200, { images: [{ b64_json: BASE64 }], seed: 9_999_999_999 }));
    expect((await draw()).images).toMatchObject([{ seed: undefined }]);
  });

  it('is cut to the requested number of images', async () => {
    under.host.behaveElsewhere(drawn({ b64_json: BASE64 }, { b64_json: BASE64 }, { b64_json: BASE64 }));
    expect((await draw({ count: 2 })).images).toHaveLength(2);
  });

  it.each(['jpeg', 'webp', 'gif', 'avif'] as const)('may be %s', async (format) => {
    const file = await sharp(PICTURE).toFormat(format).toBuffer();
    under.host.behaveElsewhere(drawn({ b64_json: file.toString('base64') }));
    const [image] = (await draw()).images;
    expect(await sharp(image?.bytes).metadata()).toMatchObject({ width: 64, height: 64 });
  });

  it('may be 40 MB large', async () => {
    const width = 4000;
    const height = 3400;
    const noise = Buffer.alloc(width * height * 3);
    for (let index = 0, value = 1; index < noise.length; index += 4) {
      value = (Math.imul(value, 1_664_525) + 1_013_904_223) >>> 0;
      noise.writeUInt32LE(value, index);
    }
    const file = await sharp(noise, { raw: { width, height, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toBuffer();
    expect(file.length).toBeGreaterThan(40_000_000);
    under.host.behaveElsewhere(drawn({ b64_json: file.toString('base64') }));
    const { images } = await draw();
    expect(images[0]?.bytes.equals(file)).toBe(true);
  });

  const large = drawPng(500, 400, [1, 2, 3]);
  const truncated = large.subarray(0, large.length / 2).toString('base64');
  it.each([
    ['truncated base64', drawn({ b64_json: truncated })],
    ['a truncated data URL', drawn({ url: `data:image/png;base64,${truncated}` })],
    ['garbage', drawn({ b64_json: 'bm90IGEgcGljdHVyZQ==' })],
    ['text that is no base64', drawn({ b64_json: '<<<>>>' })],
    ['an SVG', drawn({ b64_json: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64') })],
    ['an empty list', answerJson(200, { data: [] })],
    ['an empty entry', drawn({})],
    ['empty base64', drawn({ b64_json: '' })],
    ['no list', answerJson(200, { created: 1 })],
    ['half an object', answerRaw(200, 'application/json', '{"data":[{"b64_json":"iVBOR')],
    ['a web page', answerRaw(200, 'text/html', '<!doctype html><h1>Hello</h1>')],
    ['nothing', answerRaw(200, 'application/json', '')],
    ['a list', answerJson(200, [1])],
    ['a cut connection', ({ response }) => void response.writeHead(200).end().destroy()],
  ] as [string, Behaviour][])("with %s is the provider's fault", async (_, behaviour) => {
    under.host.behaveElsewhere(behaviour);
    expect(await failureOf(draw())).toMatchObject({ name: 'ProviderUnavailableError', provider: 'host' });
  });

  it('keeps complete images next to a broken one', async () => {
    under.host.behaveElsewhere(drawn({ b64_json: truncated }, { b64_json: BASE64 }));
    expect((await draw({ count: 2 })).images).toMatchObject([{ bytes: PICTURE }]);
  });

  it('with a private network address is not downloaded', async () => {
    const url = `${under.host.baseUrl}/secret.png`;
    under.host.behaveElsewhere(({ request, response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(request.url.includes('secret') ? PICTURE : JSON.stringify({ data: [{ url }] }));
    });
    expect(await failureOf(draw())).toMatchObject({
      name: 'ProviderUnavailableError',
      message: "host sent the address of an image that can't be downloaded: the address is not on the public internet",
    });
    expect(under.host.requests.map((request) => request.url)).toEqual(['/v1/images/generations']);
  });
});

describe('an image response with addresses', () => {
  it('is downloaded with limits, and decoded', async () => {
    const wanted: unknown[] = [];
    under = await startProviderUnderTest({}, systemClock, async (url, { maxBytes, timeoutMs }) => {
      wanted.push({ url, maxBytes, timeoutMs });
      return PICTURE;
    });
    under.host.behaveElsewhere(drawn({ url: 'https://pictures.test/1.png?token=x' }));
    expect((await draw()).images).toMatchObject([{ bytes: PICTURE }]);
    expect(wanted).toEqual([
      { url: 'https://pictures.test/1.png?token=x', maxBytes: 64 * 1024 * 1024, timeoutMs: 60_000 },
    ]);
  });

  it.each([
    ['can’t be downloaded', async () => Promise.reject(new Error('the download was answered with status 404'))],
    ['is no image', async () => Buffer.from('<html>expired</html>')],
  ])("is the provider's fault if the file %s", async (_, download) => {
    under = await startProviderUnderTest({}, systemClock, download);
    under.host.behaveElsewhere(drawn({ url: 'https://pictures.test/1.png' }));
    expect(await failureOf(draw())).toMatchObject({ name: 'ProviderUnavailableError' });
  });
});

describe('a parameter that the host refuses', () => {
  beforeEach(() => start());
  const refuse = (message: string, param: string | null = null, status = 400) =>
    answerJson(status, openAiError(message, 'invalid_value', param));

  it.each([
    ['by name', refuse("Unknown parameter: 'response_format'.", 'response_format')],
    ['in words', refuse('response_format is not supported by this model')],
    [
      'in FastAPI’s way',
      answerJson(422, { detail: [{ loc: ['body', 'response_format'], msg: 'extra fields not permitted' }] }),
    ],
  ])('%s is omitted, and from then on', async (_, refusal) => {
    under.host.behaveElsewhere(answerInTurn(refusal, ONE));
    await draw();
    await draw();
    expect(bodies().map((body) => 'response_format' in body)).toEqual([true, false, false]);
  });

  it('is the size: a square is requested, then none', async () => {
    const refusal = refuse('Invalid size. Must be one of 512x512', 'size');
    under.host.behaveElsewhere(answerInTurn(refusal, ONE));
    await draw({ ratio: ratio(16, 9) });
    expect(bodies().map(({ size }) => size)).toEqual(['1376x768', '1024x1024']);
    under.host.behaveElsewhere(answerInTurn(refusal, ONE));
    await draw({ ratio: ratio(16, 9) });
    expect(bodies().map(({ size }) => size)).toEqual(['1376x768', '1024x1024', '1024x1024', undefined]);
  });

  it('is the size of a square: it is omitted at once', async () => {
    under.host.behaveElsewhere(answerInTurn(refuse('bad size', 'size'), ONE));
    await draw();
    expect(bodies().map(({ size }) => size)).toEqual(['1024x1024', undefined]);
  });

  it('is the number of images or the seed: the request is repeated without it', async () => {
    under.host.behaveElsewhere(
      answerInTurn(refuse('n must be 1', 'n'), refuse('Unrecognized request argument supplied: seed'), ONE),
    );
    expect((await draw({ count: 3, seed: 5 })).images).toMatchObject([{ seed: undefined }]);
    expect(bodies().map(({ n, seed }) => [n, seed])).toEqual([
      [3, 5],
      [undefined, 5],
      [undefined, undefined],
    ]);
  });

  it('is remembered for this model only', async () => {
    under.host.behaveElsewhere(answerInTurn(refuse('no', 'response_format'), ONE));
    await draw();
    await draw({ model: 'other-model' });
    expect(bodies().map((body) => 'response_format' in body)).toEqual([true, false, true]);
  });

  it('ends the request after three repeats, and nothing is remembered', async () => {
    const refusals = ['response_format', 'size', 'size', 'seed'].map((param) => refuse('no', param));
    under.host.behaveElsewhere(answerInTurn(...refusals, ONE));
    expect(await failureOf(draw({ seed: 1, ratio: ratio(16, 9) }))).toMatchObject({ name: 'ProviderRejectedError' });
    expect(bodies()).toHaveLength(4);
    await draw({ ratio: ratio(16, 9) });
    expect(bodies().at(-1)).toMatchObject({ size: '1376x768', response_format: 'b64_json' });
  });

  it('that the client set itself is reported to the client', async () => {
    under.host.behaveElsewhere(refuse('Invalid value for quality', 'quality'));
    expect(await failureOf(draw({ extraFields: { quality: 'superb' } }))).toMatchObject({
      name: 'ProviderRejectedError',
      status: 400,
      details: { param: 'quality', code: 'invalid_value' },
    });
    expect(bodies()).toHaveLength(1);
  });
});

describe('an edit', () => {
  const source = drawPng(32, 32, [9, 9, 9]);
  const form = async () => {
    const [request] = under.host.requests;
    const headers = { 'content-type': String(request?.headers['content-type']) };
    return new Response(new Uint8Array(request?.rawBody ?? []), { headers }).formData();
  };

  it("is sent to OpenAI's edits endpoint as a file", async () => {
    await start();
    const { images } = await draw({
      model: 'gpt-image-1',
      sources: [source],
      count: 2,
      extraFields: { quality: 'low' },
    });
    expect(images).toHaveLength(1);
    expect(under.host.requests).toMatchObject([{ method: 'POST', url: '/v1/images/edits' }]);
    const fields = await form();
    const { image, ...rest } = Object.fromEntries(fields);
    expect(rest).toEqual({ model: 'gpt-image-1', prompt: 'a red fox', n: '2', size: '1024x1024', quality: 'low' });
    if (!(image instanceof Blob)) throw new Error('no file was sent');
    expect(image).toMatchObject({ type: 'image/png', name: 'image.png' });
    expect(Buffer.from(await image.arrayBuffer())).toEqual(source);
  });

  it.each([
    ['jpeg', 'image/jpeg'],
    ['webp', 'image/webp'],
  ] as const)('declares a %s with its own type', async (format, type) => {
    await start();
    await draw({ model: 'gpt-image-1', sources: [await sharp(source).toFormat(format).toBuffer()] });
    expect((await form()).get('image')).toMatchObject({ type });
  });

  it.each([
    ['xai', 'grok-imagine-image', '/v1/images/edits', { image: { type: 'image_url', url: expect.any(String) } }],
    ['together', 'black-forest-labs/FLUX.1-kontext-pro', '/v1/images/generations', { image_url: expect.any(String) }],
    ['siliconflow', 'Qwen/Qwen-Image-Edit', '/v1/images/generations', { image: expect.any(String) }],
  ])('is sent to %s as JSON', async (preset, model, url, fields) => {
    await startPreset(preset);
    await draw({ model, sources: [source] });
    expect(under.host.requests).toMatchObject([{ url, body: { model, prompt: 'a red fox', ...fields } }]);
    expect(JSON.stringify(bodies()[0])).toContain(`data:image/png;base64,${source.toString('base64')}`);
  });

  const REFUSAL = {
    name: 'ProviderRejectedError',
    status: 400,
    details: { param: 'image', code: 'image_edit_unsupported' },
  };
  it('is refused for models without image input, before the host is asked', async () => {
    await start({ models: [{ id: 'painter', type: 'image', acceptsImages: false }] });
    for (const model of ['painter', 'dall-e-3'])
      expect(await failureOf(draw({ model, sources: [source] }))).toMatchObject(REFUSAL);
    expect(under.host.requests).toEqual([]);
  });

  it('is tried with a model of which nothing is known', async () => {
    await start();
    expect((await draw({ model: 'qwen-image', sources: [source, source] })).images).toHaveLength(1);
    expect(under.host.requests).toMatchObject([{ url: '/v1/images/edits' }]);
    expect((await form()).getAll('image[]')).toHaveLength(2);
  });

  it.each([
    [404, { detail: 'Not Found' }],
    [405, { detail: 'Method Not Allowed' }],
    [501, { error: { message: 'Not implemented' } }],
    [415, { error: { message: 'Unsupported media type' } }],
    [400, { error: { message: 'This model does not support image editing' } }],
    [400, { error: { message: 'img2img is not supported' } }],
    [400, { error: { message: 'Content-Type must be application/json, not multipart/form-data' } }],
    [422, { error: { message: 'x', param: 'image' } }],
  ])('that its host refuses with %i %j is not tried again with this model', async (status, body) => {
    await start();
    under.host.behaveElsewhere((exchange) => {
      const isEdit = exchange.request.url.endsWith('/edits');
      const images = { data: [{ b64_json: source.toString('base64') }] };
      return answerJson(isEdit ? status : 200, isEdit ? body : images)(exchange);
    });
    for (let turn = 0; turn < 2; turn++) {
      expect(await failureOf(draw({ model: 'flux', sources: [source] }))).toMatchObject(REFUSAL);
    }
    expect(under.host.requests).toHaveLength(1);
    await failureOf(draw({ model: 'other', sources: [source] }));
    expect(under.host.requests).toHaveLength(2);
    expect((await draw({ model: 'flux' })).images).toHaveLength(1);
  });

  it.each([
    [429, { error: { message: 'Slow down' } }],
    [500, { error: { message: 'Out of memory' } }],
    [400, { error: { message: 'The prompt is too long', param: 'prompt' } }],
  ])('that fails with %i %j is tried again', async (status, body) => {
    await start();
    under.host.behaveElsewhere(answerJson(status, body));
    await failureOf(draw({ model: 'flux', sources: [source] }));
    under.host.behaveElsewhere(answerJson(200, { data: [{ b64_json: source.toString('base64') }] }));
    expect((await draw({ model: 'flux', sources: [source] })).images).toHaveLength(1);
  });

  it('may be enabled by the settings', async () => {
    await start({ models: [{ id: 'flux-kontext', type: 'image', acceptsImages: true }] });
    await draw({ model: 'flux-kontext', sources: [source] });
    expect(under.host.requests).toMatchObject([{ url: '/v1/images/edits' }]);
  });

  it('is listed as a capability of the model', async () => {
    await start();
    under.host.behaveAtModels(
      answerJson(200, { data: ['gpt-image-1', 'dall-e-3', 'flux-dev', 'gpt-5'].map((id) => ({ id })) }),
    );
    expect(await under.provider.listModels(noAbort())).toMatchObject([
      { id: 'gpt-image-1', type: 'image', acceptsImages: true },
      { id: 'dall-e-3', type: 'image', acceptsImages: false },
      { id: 'flux-dev', type: 'image', acceptsImages: undefined },
      { id: 'gpt-5', type: 'chat', acceptsImages: undefined },
    ]);
  });
});

describe('a host with its own image protocol', () => {
  it('generates no images here, and lists no image models', async () => {
    await startPreset('fireworks');
    under.host.behaveAtModels(answerJson(200, { data: [{ id: 'flux-1-schnell-fp8' }, { id: 'qwen3' }] }));
    expect(under.provider.image).toBeUndefined();
    expect(await under.provider.listModels(noAbort())).toMatchObject([{ id: 'qwen3' }]);
  });
});

describe('a moderation refusal', () => {
  const messageOf = ({ error }: JsonObject) => (isJsonObject(error) ? error.message : undefined);
  beforeEach(() => start({ apiKeys: ['sk-first-key', 'sk-second-key'] }));

  it.each([
    [
      'OpenAI',
      400,
      {
        error: {
          message: 'Your request was rejected by the safety system. safety_violations=[violence].',
          type: 'image_generation_user_error',
          param: null,
          code: 'moderation_blocked',
        },
      },
    ],
    [
      'DALL·E',
      400,
      openAiError('Your request was rejected as a result of our safety system.', 'content_policy_violation'),
    ],
    ['Azure', 400, { error: { code: 'contentFilter', message: 'Your task failed as a result of our safety system.' } }],
    ['Together', 422, { error: { message: 'NSFW content detected in the prompt', type: 'invalid_request_error' } }],
    [
      'OpenRouter',
      403,
      { error: { code: 403, message: 'Your input was flagged', metadata: { reasons: ['violence'] } } },
    ],
    ['Z.AI', 400, { error: { code: '1301', message: 'The system detected sensitive content in the input.' } }],
    ['a body under 200', 200, { error: { message: 'Blocked by our content policy', code: 'content_filter' } }],
  ])('is recognized in the words of %s', async (_, status, body) => {
    under.host.behaveElsewhere(answerJson(status, body));
    expect(await failureOf(draw())).toMatchObject({
      name: 'ProviderRejectedError',
      status: 400,
      message: messageOf(body),
      details: { code: 'content_policy_violation' },
    });
    // Neither another key nor the same request without a parameter would help.
    expect(under.host.requests).toHaveLength(1);
  });

  it('rests no key', async () => {
    under.host.behaveElsewhere(answerInTurn(answerJson(403, openAiError('flagged by moderation')), ONE));
    await failureOf(draw());
    await draw();
    expect(under.host.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-first-key',
      'Bearer sk-first-key',
    ]);
  });

  it.each([
    [
      'an organization that must be verified',
      403,
      'Your organization must be verified to use the model `gpt-image-1`.',
    ],
    ['an account that is closed', 403, 'Your account was flagged and suspended.'],
    ['a key without the right', 403, 'You have insufficient permissions.'],
  ])('is not %s: the next key is asked', async (_, status, message) => {
    under.host.behaveElsewhere(answerInTurn(answerJson(status, openAiError(message)), ONE));
    await draw();
    expect(under.host.requests).toHaveLength(2);
  });

  it('is not an unknown parameter of that name', async () => {
    under.host.behaveElsewhere(answerJson(400, { error: "Unrecognized request argument supplied: 'moderation'" }));
    expect(await failureOf(draw({ extraFields: { moderation: 'low' } }))).toMatchObject({ details: { code: null } });
  });

  it('is not an invalid value of the parameter of that name', async () => {
    under.host.behaveElsewhere(answerJson(400, openAiError("Invalid value: 'none'.", 'invalid_value', 'moderation')));
    expect(await failureOf(draw({ extraFields: { moderation: 'none' } }))).toMatchObject({
      details: { code: 'invalid_value', param: 'moderation' },
    });
  });

  it('is not an unpaid bill: the next key is asked', async () => {
    const refusal = answerJson(400, openAiError('Billing hard limit has been reached', 'billing_hard_limit_reached'));
    under.host.behaveElsewhere(answerInTurn(refusal, ONE));
    await draw();
    expect(under.host.requests).toHaveLength(2);
  });
});

describe('the router', () => {
  it('asks the next provider if an image is broken', async () => {
    await start();
    const second = await startProviderUnderTest();
    under.host.behaveElsewhere(drawn({ b64_json: BASE64.slice(0, 60) }));
    second.host.behaveElsewhere(ONE);
    const provider = (name: string, { host }: ProviderUnderTest): OpenAiCompatibleConfig => ({
      kind: 'openai-compatible',
      name,
      baseUrl: host.baseUrl,
      apiKeys: [],
      models: [{ id: 'flux', type: 'image' }],
    });
    const models = createModels(
      {
        clock: systemClock,
        logger: createLogger({ level: 'silent' }),
        discoveryCache: createMemoryDiscoveryCache(),
        createDemo: createDemoProvider,
        random: () => 0,
      },
      { providers: [provider('first', under), provider('second', second)], aliases: {} },
    );
    await models.start(noAbort());
    const request = { model: 'flux', prompt: 'a red fox', ratio: ratio(1, 1), count: 1 };
    expect(await models.router.image.generate(request, noAbort())).toMatchObject({ provider: 'second' });
    await models.close();
    await second.close();
  });
});
