import { once } from 'node:events';
import { APIUserAbortError, BadRequestError, InternalServerError, NotFoundError, OpenAI, RateLimitError } from 'openai';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ProviderRejectedError, ProviderUnavailableError } from '../../src/core/models/index.ts';
import { usage } from '../../src/database/schema/index.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { failureOf } from '../support/hosts/provider-under-test.ts';
import {
  createScriptedImages,
  drawForever,
  drawNearest,
  drawNothing,
  type ScriptedImages,
} from '../support/hosts/scripted-images.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const DRAWING = 'drawing';
const OTHER = 'other-drawing';
const FOX = { model: DRAWING, prompt: 'a red fox in snow' };

let database: TestDatabase;
let images: ScriptedImages;
let service: HttpService;
let client: OpenAI;
beforeAll(async () => {
  database = await createTestDatabase();
  images = createScriptedImages('pictures', [
    { id: DRAWING, type: 'image', acceptsImages: true },
    { id: OTHER, type: 'image' },
  ]);
  service = await startHttpService({ database, imageProviders: [images.provider] });
  client = connect(service);
});
afterEach(() => {
  images.scripts.length = 0;
  images.drawUsually = drawNearest();
});
afterAll(async () => {
  await service.close();
  await database.close();
});

function connect({ url, apiKey }: HttpService) {
  return new OpenAI({ apiKey, baseURL: `${url}/ai/openai`, maxRetries: 0 });
}
const seen = () => images.requests.at(-1)?.request;
/** Decodes every pixel of the file. */
async function measure(base64: string | undefined) {
  const file = sharp(Buffer.from(base64 ?? '', 'base64'));
  const { format } = await file.metadata();
  const { info } = await file.raw().toBuffer({ resolveWithObject: true });
  return { size: `${info.width}x${info.height}`, format };
}

describe("OpenAI's own client", () => {
  test('gets an image', async () => {
    const answer = await client.images.generate(FOX);
    expect(answer).toMatchObject({
      data: [{ b64_json: expect.any(String) }],
      size: '512x512',
      output_format: 'png',
      usage: {
        input_tokens: 0,
        input_tokens_details: { image_tokens: 0, text_tokens: 0 },
        output_tokens: 350,
        total_tokens: 350,
        output_tokens_details: { image_tokens: 350, text_tokens: 0 },
      },
    });
    expect(Object.keys(answer.data?.[0] ?? {})).toEqual(['b64_json']);
    expect(await measure(answer.data?.[0]?.b64_json)).toEqual({ size: '512x512', format: 'png' });
    expect(Math.abs(answer.created - Date.now() / 1000)).toBeLessThan(60);
    expect(answer._request_id).toMatch(/^req_/);
  });

  test.each([{}, { model: null }])('gets the default model with %j', async (fields) => {
    const { prompt } = FOX;
    await client.images.generate({ prompt, ...fields });
    expect(seen()?.model).toBe(DRAWING);
  });

  test.each(['1024x1024', '1536x1024', '1024x1792', '256x256', '64x4096', '4096x64', '333x77'])(
    'gets exactly %s',
    async (size) => {
      const answer = await client.images.generate({ ...FOX, size });
      expect(answer.size).toBe(size);
      expect((await measure(answer.data?.[0]?.b64_json)).size).toBe(size);
      const [width = 0, height = 0] = size.split('x').map(Number);
      expect(seen()).toMatchObject({ ratio: { width, height }, size: { width, height } });
    },
  );

  test.each([{}, { size: 'auto' }, { size: null }])("gets a square of the model's own size with %j", async (fields) => {
    expect((await client.images.generate({ ...FOX, ...fields })).size).toBe('512x512');
    expect(seen()?.size).toBeUndefined();
  });

  test.each(['png', 'jpeg', 'webp'] as const)('gets a file of type %s', async (format) => {
    const answer = await client.images.generate({ ...FOX, output_format: format });
    expect(answer.output_format).toBe(format);
    expect((await measure(answer.data?.[0]?.b64_json)).format).toBe(format);
  });

  test('gets several images, which are metered one by one', async () => {
    const answer = await client.images.generate({ ...FOX, n: 4 });
    expect(await Promise.all((answer.data ?? []).map(({ b64_json }) => measure(b64_json)))).toEqual(
      Array(4).fill({ size: '512x512', format: 'png' }),
    );
    expect(answer.usage?.output_tokens).toBe(4 * 350);
    const counts = async () => (await database.db.select().from(usage)).map(({ imageCount }) => imageCount);
    await expect.poll(counts).toContain(4);
  });

  test('gets a data: URL when it requests a URL', async () => {
    const answer = await client.images.generate({ ...FOX, response_format: 'url', output_format: 'jpeg', n: 2 });
    for (const image of answer.data ?? []) {
      expect(Object.keys(image)).toEqual(['url']);
      const response = await fetch(image.url ?? '');
      expect(response.headers.get('content-type')).toBe('image/jpeg');
      expect((await sharp(await response.arrayBuffer()).metadata()).width).toBe(512);
    }
    expect(answer.data).toHaveLength(2);
  });

  test('gets the revised prompt', async () => {
    images.scripts.push(drawNearest({ revisedPrompt: 'Ein "Fuchs" \\ im\nSchnee 🦊' }));
    const answer = await client.images.generate(FOX);
    expect(answer.data?.[0]?.revised_prompt).toBe('Ein "Fuchs" \\ im\nSchnee 🦊');
  });

  test("sends options to the provider, but not the user's id", async () => {
    const wishes = { quality: 'high', style: 'vivid', background: 'opaque', moderation: 'low' } as const;
    await client.images.generate({ ...FOX, ...wishes, output_compression: 80, user: 'ann@example.com', n: 1 });
    expect(seen()?.extraFields).toEqual({ ...wishes, output_compression: 80 });
    await client.images.generate(FOX);
    expect(seen()?.extraFields).toBeUndefined();
  });

  test('can send a seed', async () => {
    await service.post('/ai/openai/images/generations', { ...FOX, seed: 7 });
    expect(seen()).toMatchObject({ seed: 7 });
    expect(seen()?.extraFields).toBeUndefined();
  });

  test('finds image models in the list of models', async () => {
    const list = await Array.fromAsync(client.models.list());
    expect(list.filter((model) => 'type' in model && model.type === 'image')).toMatchObject([
      { id: DRAWING, input_modalities: ['text', 'image'], output_modalities: ['image'] },
      { id: OTHER, output_modalities: ['image'] },
    ]);
  });

  test('aborts', async () => {
    images.scripts.push(drawForever());
    const number = images.requests.length;
    const abort = new AbortController();
    const answer = failureOf(client.images.generate(FOX, { signal: abort.signal }));
    const { signal } = await images.request(number);
    const aborted = once(signal, 'abort');
    abort.abort();
    expect(await answer).toBeInstanceOf(APIUserAbortError);
    await aborted;
  });
});

describe("errors have the classes of OpenAI's client", () => {
  test.each<[string, Record<string, unknown>]>([
    ['model', { model: '' }],
    ['model', { model: MODEL }],
    ['prompt', { prompt: undefined }],
    ['prompt', { prompt: '  ' }],
    ['prompt', { prompt: 'x'.repeat(32_001) }],
    ['n', { n: 0 }],
    ['n', { n: 11 }],
    ['n', { n: 1.5 }],
    ['n', { n: '2' }],
    ['size', { size: 'large' }],
    ['size', { size: '63x64' }],
    ['size', { size: '1024x4097' }],
    ['size', { size: '1024x' }],
    ['size', { size: '-64x64' }],
    ['size', { size: 1024 }],
    ['response_format', { response_format: 'file' }],
    ['output_format', { output_format: 'gif' }],
    ['seed', { seed: -1 }],
    ['stream', { stream: true }],
    ['partial_images', { partial_images: 2 }],
  ])('for an invalid %s: %j', async (param, fields) => {
    const asked = images.requests.length;
    const error = await failureOf(client.images.generate({ ...FOX, ...fields }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ param, type: 'invalid_request_error', code: 'invalid_request_error' });
    expect(images.requests).toHaveLength(asked);
  });

  test.each([
    { stream: false, partial_images: 0 },
    { stream: null, partial_images: null, n: null, seed: null },
  ])('but not for %j', async (fields) => {
    expect((await service.post('/ai/openai/images/generations', { ...FOX, ...fields })).status).toBe(200);
    expect(seen()?.extraFields).toBeUndefined();
  });

  test('for an unknown model', async () => {
    const error = await failureOf(client.images.generate({ ...FOX, model: 'nope' }));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: 'model_not_found', param: 'model' });
  });

  test('for a missing image model', async () => {
    const bare = await startHttpService({ database });
    const error = await failureOf(connect(bare).images.generate({ prompt: FOX.prompt }));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: 'model_not_found', param: 'model' });
    await bare.close();
  });

  test('for a moderation refusal of the provider', async () => {
    const details = { message: 'No violence.', param: null, code: 'content_policy_violation' };
    images.scripts.push(drawNothing(new ProviderRejectedError('pictures', 400, details)));
    const error = await failureOf(client.images.generate(FOX));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code: 'content_policy_violation', message: expect.stringContaining('No violence.') });
  });

  test('for a missing provider', async () => {
    images.scripts.push(drawNothing(new ProviderUnavailableError('pictures', 'down')));
    const error = await failureOf(client.images.generate(FOX));
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error).toMatchObject({ status: 502, code: 'upstream_error' });
  });

  test('for too many concurrent requests', async () => {
    images.drawUsually = drawForever();
    const leaving = new AbortController();
    const refused = Promise.withResolvers<unknown>();
    const calls = Array.from({ length: 13 }, async () => {
      const failure = await failureOf(client.images.generate(FOX, { signal: leaving.signal }));
      if (!(failure instanceof APIUserAbortError)) refused.resolve(failure);
    });
    const error = await refused.promise;
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'rate_limit_error' });
    leaving.abort();
    await Promise.all(calls);
  });
});
