import { once } from 'node:events';
import { BadRequestError, OpenAI, toFile } from 'openai';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDemoProvider } from '../../demo/demo-provider.ts';
import type { Provider } from '../../src/core/models/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { connectRaw, requestHead } from '../support/clients/http-raw.ts';
import { fieldPart, MULTIPART_TYPE, toMultipartBody } from '../support/clients/multipart-body.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';
import { answerJson } from '../support/hosts/fake-provider.ts';
import { failureOf, type ProviderUnderTest, startProviderUnderTest } from '../support/hosts/provider-under-test.ts';
import {
  createScriptedImages,
  drawForever,
  drawNearest,
  type ScriptedImages,
} from '../support/hosts/scripted-images.ts';
import { measureBestRun } from '../support/machine/measure.ts';
import { drawPng, drawVastPng } from '../support/samples/media.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const PATH = '/ai/openai/images/edits';
const EDITOR = 'editor';
const RED = drawPng(300, 200, [250, 10, 10]);
const BLUE = drawPng(100, 100, [10, 10, 250]);
const EDIT = { model: EDITOR, prompt: 'make it night' };

let database: TestDatabase;
let images: ScriptedImages;
let host: ProviderUnderTest;
let service: HttpService;
let client: OpenAI;
beforeAll(async () => {
  database = await createTestDatabase();
  images = createScriptedImages('pictures', [
    { id: 'text-only', type: 'image' },
    { id: EDITOR, type: 'image', acceptsImages: true },
  ]);
  host = await startProviderUnderTest({
    models: [
      { id: 'gpt-image-1.5', type: 'image' },
      { id: 'one-image', type: 'image' },
      { id: 'no-edits', type: 'image', acceptsImages: false },
    ],
    images: { editing: { models: /one-image/, source: 'object' } },
  });
  host.host.behaveElsewhere(answerJson(200, { data: [{ b64_json: drawPng(1536, 1024).toString('base64') }] }));
  const demo: Provider = createDemoProvider({ clock: systemClock }, { kind: 'demo', imageMs: 0 });
  service = await startHttpService({ database, imageProviders: [images.provider, host.provider, demo] });
  client = connect(service);
});
afterEach(() => {
  images.scripts.length = 0;
  images.drawUsually = drawNearest();
});
afterAll(async () => {
  await service.close();
  await host.close();
  await database.close();
});

function connect({ url, apiKey }: HttpService) {
  return new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
}
const seen = () => images.requests.at(-1)?.request;
const png = (bytes: Buffer, name = 'image.png') => toFile(bytes, name, { type: 'image/png' });
const imagePart = (name: string, body: Buffer) => ({
  headers: [`Content-Disposition: form-data; name="${name}"; filename="a.png"`, 'Content-Type: image/png'],
  body,
});
const JSON_PART = {
  headers: ['Content-Disposition: form-data; name="style"', 'Content-Type: application/json'],
  body: '{}',
};
/** Returns an image whose left half is transparent. */
const maskOf = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
    .composite([
      { input: { create: { width: width / 2, height, channels: 4, background: '#000' } }, left: width / 2, top: 0 },
    ])
    .png()
    .toBuffer();

/** Sends a body unchanged. */
async function send(body: Buffer | string, type = MULTIPART_TYPE, headers: Record<string, string> = {}) {
  const response = await service.post(PATH, '', {
    body: new Uint8Array(Buffer.from(body)),
    headers: { 'content-type': type, ...headers },
  });
  const text = await response.text();
  return { status: response.status, error: JSON.parse(text).error };
}

describe("OpenAI's own client", () => {
  test('edits an image', async () => {
    const answer = await client.images.edit({ ...EDIT, image: await png(RED) });
    expect(answer).toMatchObject({ data: [{ b64_json: expect.any(String) }], output_format: 'png' });
    expect(answer.usage?.total_tokens).toBeGreaterThan(0);
    expect(seen()).toMatchObject({ ...EDIT, count: 1, sources: [RED] });
    expect(seen()?.mask).toBeUndefined();
    expect(seen()?.extraFields).toBeUndefined();
  });

  test('sends several images in order, and a mask', async () => {
    const mask = await maskOf(300, 200);
    await client.images.edit({ ...EDIT, image: [await png(RED), await png(BLUE)], mask: await png(mask) });
    expect(seen()?.sources).toEqual([RED, BLUE]);
    expect(seen()?.mask).toEqual(mask);
  });

  test('may send sixteen images', async () => {
    const image = await Promise.all(Array.from({ length: 16 }, () => png(BLUE)));
    await client.images.edit({ ...EDIT, image });
    expect(seen()?.sources).toHaveLength(16);
  });

  test.each(['1024x1024', '333x77'] as const)('gets exactly %s', async (size) => {
    const answer = await client.images.edit({ ...EDIT, image: await png(RED), size: size as '1024x1024' });
    expect(answer.size).toBe(size);
    const file = await sharp(Buffer.from(answer.data?.[0]?.b64_json ?? '', 'base64')).metadata();
    expect(`${file.width}x${file.height}`).toBe(size);
  });

  test.each([
    [300, 200, { width: 3, height: 2 }],
    [100, 220, { width: 9, height: 21 }],
  ])('gets the ratio of an image of %i by %i pixels', async (width, height, ratio) => {
    await client.images.edit({ ...EDIT, image: await png(drawPng(width, height)), size: 'auto' });
    expect(seen()).toMatchObject({ ratio, size: undefined });
  });

  test('sends all options with their types', async () => {
    const options = { quality: 'high', background: 'opaque', input_fidelity: 'high', output_compression: 80 } as const;
    const answer = await client.images.edit({
      ...EDIT,
      ...options,
      image: await png(RED),
      n: 2,
      output_format: 'webp',
      response_format: 'url',
      user: 'ann@example.com',
      stream: false,
    });
    expect(answer.data).toHaveLength(2);
    expect(answer.data?.[0]?.url).toMatch(/^data:image\/webp;base64,/);
    expect(images.requests.at(-2)?.request).toMatchObject({ count: 2, extraFields: options });
  });

  test('gets a model that edits unless it names one', async () => {
    await client.images.edit({ prompt: EDIT.prompt, image: await png(RED) });
    expect(seen()?.model).toBe(EDITOR);
  });

  test('sends any common format', async () => {
    const gif = await sharp(RED).gif().toBuffer();
    await client.images.edit({ ...EDIT, image: await toFile(gif, 'a.gif', { type: 'image/gif' }) });
    expect(await sharp(seen()?.sources?.[0]).metadata()).toMatchObject({ format: 'png', width: 300 });
  });

  test('gets an edit of the demonstration, which leaves alone what the mask protects', async () => {
    const answer = await client.images.edit({
      model: 'demo-image',
      prompt: 'night',
      image: await png(RED),
      mask: await png(await maskOf(300, 200)),
      size: '300x256' as '256x256',
    });
    const { data, info } = await sharp(Buffer.from(answer.data?.[0]?.b64_json ?? '', 'base64'))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const pixel = (x: number, y: number) => [...data.subarray((y * info.width + x) * info.channels).subarray(0, 3)];
    expect(pixel(290, 128)).toEqual([250, 10, 10]);
    expect(pixel(10, 10)).not.toEqual([250, 10, 10]);
  });

  test('leaves, and so does the request to the provider', async () => {
    images.scripts.push(drawForever());
    const number = images.requests.length;
    const leaving = new AbortController();
    const answer = failureOf(client.images.edit({ ...EDIT, image: await png(RED) }, { signal: leaving.signal }));
    const { signal } = await images.request(number);
    const aborted = once(signal, 'abort');
    leaving.abort();
    await aborted;
    await answer;
  });
});

describe('a host', () => {
  test("gets the form of OpenAI's edits endpoint", async () => {
    const mask = await maskOf(300, 200);
    await client.images.edit({
      model: 'gpt-image-1.5',
      prompt: 'night',
      image: [await png(RED), await png(BLUE)],
      mask: await png(mask),
      input_fidelity: 'high',
    });
    const sent = host.host.requests.at(-1);
    expect(sent?.url).toBe('/v1/images/edits');
    const form = await new Response(new Uint8Array(sent?.rawBody ?? []), {
      headers: { 'content-type': sent?.headers['content-type'] ?? '' },
    }).formData();
    const files = [...form.getAll('image[]'), form.get('mask')] as File[];
    const bytes = await Promise.all(files.map(async (file) => Buffer.from(await file.arrayBuffer())));
    expect(bytes).toEqual([RED, BLUE, mask]);
    expect(Object.fromEntries([...form].filter(([, value]) => typeof value === 'string'))).toEqual({
      model: 'gpt-image-1.5',
      prompt: 'night',
      input_fidelity: 'high',
      size: '1536x1024',
    });
  });

  test.each([
    ['no-edits', 'image', 1, false],
    ['one-image', 'image', 2, false],
    ['one-image', 'mask', 1, true],
  ])('of %s is not asked for what it cannot do: %s', async (model, param, count, isMasked) => {
    const asked = host.host.requests.length;
    const error = await failureOf(
      client.images.edit({
        model,
        prompt: 'night',
        image: await Promise.all(Array.from({ length: count }, () => png(RED))),
        ...(isMasked && { mask: await png(await maskOf(300, 200)) }),
      }),
    );
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ param, code: 'image_edit_unsupported' });
    expect(host.host.requests).toHaveLength(asked);
  });
});

describe('as JSON', () => {
  const url = (bytes: Buffer) => ({ image_url: `data:image/png;base64,${bytes.toString('base64')}` });
  const post = async (body: object) => {
    const response = await service.post(PATH, body);
    return { status: response.status, body: JSON.parse(await response.text()) };
  };

  test('images are data URLs', async () => {
    const mask = await maskOf(300, 200);
    const { status } = await post({ ...EDIT, images: [url(RED), url(BLUE)], mask: url(mask), quality: 'low', n: 1 });
    expect(status).toBe(200);
    expect(seen()).toMatchObject({ sources: [RED, BLUE], mask, extraFields: { quality: 'low' } });
  });

  test.each<[string, object]>([
    ['images', {}],
    ['images', { images: [] }],
    ['images', { images: 'x' }],
    ['images', { images: Array.from({ length: 17 }, () => url(BLUE)) }],
    ['images[0]', { images: ['data:image/png;base64,AAAA'] }],
    ['images[0].image_url', { images: [{ file_id: 'file-1' }] }],
    ['images[1].image_url', { images: [url(RED), { image_url: 'https://example.com/a.png' }] }],
    ['images[0].image_url', { images: [{ image_url: 'data:text/html;base64,AAAA' }] }],
    ['mask.image_url', { images: [url(RED)], mask: { image_url: 1 } }],
    ['image', { images: [url(RED)], image: 'x' }],
    ['image', { images: [{ image_url: 'data:image/png;base64,AAAA' }] }],
    ['prompt', { images: [url(RED)], prompt: '' }],
    ['Mask', { images: [url(RED)], Mask: 1 }],
  ])('a wrong %s is a 400', async (param, fields) => {
    const asked = images.requests.length;
    const { status, body } = await post({ ...EDIT, ...fields });
    expect([status, body.error.param]).toEqual([400, param]);
    expect(images.requests).toHaveLength(asked);
  });
});

describe('a form', () => {
  const whole = [fieldPart('prompt', 'night'), fieldPart('model', EDITOR), imagePart('image', RED)];

  test('may have its files before or after its fields, with or without brackets', async () => {
    const parts = [imagePart('image[]', RED), ...whole, imagePart('image[2]', BLUE)];
    expect((await send(toMultipartBody(parts))).status).toBe(200);
    expect(seen()?.sources).toEqual([RED, RED, BLUE]);
  });

  test.each<[string | null, readonly Parameters<typeof toMultipartBody>[0][number][]]>([
    ['prompt', [fieldPart('model', EDITOR), imagePart('image', RED)]],
    ['image', [fieldPart('prompt', 'night')]],
    ['image', [fieldPart('prompt', 'night'), fieldPart('image', 'x')]],
    ['mask', [...whole, fieldPart('mask', 'x')]],
    ['markup', [...whole, imagePart('markup', RED)]],
    ['image', [fieldPart('prompt', 'night'), imagePart('image', Buffer.alloc(0))]],
    [
      'image',
      [fieldPart('prompt', 'night'), imagePart('image', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))],
    ],
    ['image', [fieldPart('prompt', 'night'), imagePart('image', RED.subarray(0, 100))]],
    ['image', [fieldPart('prompt', 'night'), imagePart('image', drawVastPng(20_000))]],
    ['image[1]', [...whole, imagePart('image', Buffer.from('no image'))]],
    ['mask', [...whole, imagePart('mask', BLUE)]],
    ['mask', [...whole, imagePart('mask', RED), imagePart('mask', RED)]],
    ['prompt', [...whole, fieldPart('prompt', 'again')]],
    ['n', [...whole, fieldPart('n', 'two')]],
    ['n', [...whole, fieldPart('n', '11')]],
    ['n', [...whole, fieldPart('n', '9'.repeat(400))]],
    ['stream', [...whole, fieldPart('stream', 'True')]],
    ['partial_images', [...whole, fieldPart('partial_images', '2')]],
    ['size', [...whole, fieldPart('size', '1x1')]],
    ['num_images', [...whole, fieldPart('num_images', '4')]],
    ['Prompt', [...whole, fieldPart('Prompt', 'x')]],
    ['style', [...whole, JSON_PART]],
    ['style', [...whole, fieldPart('style', 'x'.repeat(1024 * 1024 + 1))]],
    [null, [...whole, fieldPart('x'.repeat(1000), 'x')]],
    [null, [...whole, fieldPart('__proto__', 'x')]],
    [null, [...whole, ...Array.from({ length: 100 }, (_, at) => fieldPart(`f${at}`, 'x'))]],
    [null, [...whole, ...Array.from({ length: 20 }, () => imagePart('image', BLUE))]],
  ])('with a wrong %s is a 400', async (param, parts) => {
    const asked = images.requests.length;
    const { status, error } = await send(toMultipartBody(parts));
    expect([status, error.param]).toEqual([400, param]);
    expect(error.type).toBe('invalid_request_error');
    expect(images.requests).toHaveLength(asked);
  });

  test.each<[string, number, () => Promise<{ status: number }>]>([
    ['without a boundary', 400, () => send(toMultipartBody(whole), 'multipart/form-data')],
    ['with another boundary', 400, () => send(toMultipartBody(whole), 'multipart/form-data; boundary=other')],
    ['that is cut off', 400, () => send(toMultipartBody(whole).subarray(0, -30))],
    ['without an end', 400, () => send(toMultipartBody(whole, { isOpen: true }))],
    ['without anything', 400, () => send('')],
    ['of noise', 400, () => send(Buffer.alloc(1_000_000, 'x\r\n--'))],
    ['that is compressed', 415, () => send(toMultipartBody(whole), MULTIPART_TYPE, { 'content-encoding': 'gzip' })],
    ['of another type', 415, () => send('a=b', 'application/x-www-form-urlencoded')],
  ])('%s is a %i', async (_what, status, attempt) => {
    expect((await attempt()).status).toBe(status);
  });

  test('of 200 000 parts needs little time of the main thread', async () => {
    const body = toMultipartBody(Array.from({ length: 200_000 }, () => fieldPart('x', '')));
    const upload = async () => expect((await send(body)).status).toBe(400);
    expect(await measureBestRun(upload, 250)).toBeLessThan(250);
  });

  test('over 50 MiB is a 413 before it is sent', async () => {
    const connection = await connectRaw(service.port);
    connection.send(
      requestHead(`POST ${PATH}`, {
        authorization: `Bearer ${service.apiKey}`,
        'content-type': MULTIPART_TYPE,
        'content-length': String(60 * 1024 * 1024),
        expect: '100-continue',
      }),
    );
    expect(await connection.receive((text) => text.includes('"error"'))).toMatch(/^HTTP\/1\.1 413 /);
    connection.socket.destroy();
  });

  test.each([
    [1, 26],
    [3, 20],
  ])('with %i files of %i MiB is a 413', async (count, mib) => {
    const file = imagePart('image', Buffer.alloc(mib * 1024 * 1024));
    const body = toMultipartBody(Array.from({ length: count }, () => file));
    const answer = await fetch(service.url + PATH, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': MULTIPART_TYPE },
      body: new Blob([new Uint8Array(body)]).stream(),
      duplex: 'half',
    } as RequestInit).catch(() => undefined);
    // The connection may be closed while the client still sends.
    expect(answer?.status ?? 413).toBe(413);
  });
});

describe('the memory for forms', () => {
  const big = toMultipartBody([fieldPart('prompt', 'night'), imagePart('image', Buffer.alloc(5_000_000))]);

  test('is limited for a user and free again afterwards', async () => {
    const small = await startHttpService({
      database,
      imageProviders: [images.provider],
      maxHeldBytes: 8_000_000,
    });
    const response = await small.post(PATH, '', {
      body: new Uint8Array(big),
      headers: { 'content-type': MULTIPART_TYPE },
    });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    for (let round = 0; round < 5; round += 1) {
      expect((await connect(small).images.edit({ ...EDIT, image: await png(RED) })).data).toHaveLength(1);
    }
    await small.close();
  });
});

test('images of an edit count in the quota', async () => {
  const strict = await startHttpService({
    database,
    imageProviders: [images.provider],
    plans: { universal: { key: { imagesPerDay: 2 } } },
  });
  const edit = async () => connect(strict).images.edit({ ...EDIT, image: await png(RED), n: 2 });
  await edit();
  expect(await failureOf(edit())).toMatchObject({ status: 429, code: 'insufficient_quota' });
  await strict.close();
});
