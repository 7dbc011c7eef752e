import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ASPECT_RATIOS } from '../../src/core/images/index.ts';
import { ProviderRejectedError, ProviderTimeoutError, ProviderUnavailableError } from '../../src/core/models/index.ts';
import { apiKeys, usage, users } from '../../src/database/schema/index.ts';
import { hashSecret } from '../../src/lib/ids.ts';
import { connectRaw, requestHead } from '../support/clients/http-raw.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import {
  createScriptedImages,
  drawForever,
  drawNearest,
  drawNothing,
  type ScriptedImages,
} from '../support/hosts/scripted-images.ts';
import { createGate } from '../support/hosts/scripted-models.ts';
import { createFastClock } from '../support/machine/fast-clock.ts';
import { drawPng } from '../support/samples/media.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

/** Served only by the first provider. */
const DRAWING = 'drawing';
/** Served by both providers; the first is asked first. */
const SHARED = 'shared';
const FOX = { model: DRAWING, prompt: 'a red fox in snow' };

let database: TestDatabase;
let first: ScriptedImages;
let second: ScriptedImages;
let service: HttpService;
beforeAll(async () => {
  database = await createTestDatabase();
  first = createScriptedImages('first', [
    { id: DRAWING, type: 'image' },
    { id: SHARED, type: 'image' },
  ]);
  second = createScriptedImages('second', [{ id: SHARED, type: 'image' }]);
  service = await startHttpService({
    database,
    imageProviders: [first.provider, second.provider],
  });
});
afterEach(() => {
  first.scripts.length = 0;
  first.drawUsually = drawNearest();
});
afterAll(async () => {
  await service.close();
  await database.close();
});

interface ImagenAnswer {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly files: readonly string[];
  readonly size: { readonly width: number; readonly height: number };
  readonly ratio: string;
  readonly 'elapsed-time': number;
  readonly usage: number;
  readonly user: number;
}

const post = (body: unknown, init?: RequestInit) => service.post('/ai/imagen', body, init);
async function draw(body: unknown): Promise<ImagenAnswer> {
  const response = await post(body);
  expect(response.status).toBe(200);
  return (await response.json()) as ImagenAnswer;
}
/** Decodes every pixel of the file. */
async function measure(base64: string | undefined) {
  const { info } = await sharp(Buffer.from(base64 ?? '', 'base64'))
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height };
}
async function errorOf(response: Response) {
  const { error } = (await response.json()) as { error: Record<string, unknown> };
  return { status: response.status, ...error };
}
const usageRows = () => database.db.select().from(usage);

function toRequestText({ apiKey }: HttpService): string {
  const body = JSON.stringify(FOX);
  const head = requestHead('POST /ai/imagen', {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  });
  return head + body;
}

describe('an image', () => {
  test.each([...ASPECT_RATIOS])('with ratio %s has exactly that ratio', async (ratio) => {
    const answer = await draw({ ...FOX, ratio });
    const size = await measure(answer.files[0]);
    const [width = 0, height = 0] = ratio.split(':').map(Number);
    expect(size.width * height).toBe(size.height * width);
    expect(Math.min(size.width, size.height)).toBeGreaterThan(200);
    expect(answer).toMatchObject({ ratio, size });
    expect(answer.usage).toBe(Math.ceil((size.width * size.height) / 750));
  });

  test('is returned with these fields and no others', async () => {
    const response = await post({ ...FOX, ratio: '3:2' });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const text = await response.text();
    expect(Number(response.headers.get('content-length'))).toBe(Buffer.byteLength(text));
    const answer = JSON.parse(text) as ImagenAnswer;
    expect(Object.keys(answer)).toEqual([
      'id',
      'created',
      'model',
      'files',
      'size',
      'ratio',
      'elapsed-time',
      'usage',
      'user',
    ]);
    expect(answer).toMatchObject({
      id: expect.stringMatching(/^img-/),
      model: DRAWING,
      files: [expect.any(String)],
      size: { width: 768, height: 512 },
      usage: 525,
    });
    expect(Math.abs(answer.created - Date.now() / 1000)).toBeLessThan(60);
    expect(Number.isInteger(answer.created) && Number.isInteger(answer.user)).toBe(true);
    expect(answer['elapsed-time']).toBeGreaterThan(0);
    expect(text).toMatch(/"elapsed-time":\d+\.\d+,/);
  });

  test.each([
    ['without a ratio', {}],
    ['with the ratio null', { ratio: null }],
    ['with unknown fields', { n: 7, size: 'huge', request: { meta: { image_count: 2 } }, stream: true }],
  ])('%s is a square', async (_what, fields) => {
    const answer = await draw({ ...FOX, ...fields });
    expect(answer).toMatchObject({ ratio: '1:1', size: { width: 512, height: 512 }, files: [expect.any(String)] });
  });

  test('is generated from the unchanged prompt, also at the address with a trailing slash', async () => {
    const prompt = '  "Füchse" \\ in\nsnow 🦊 ';
    const response = await service.post('/ai/imagen/', { model: 'first/drawing', prompt, ratio: '21:9' });
    expect(await response.json()).toMatchObject({ model: 'first/drawing' });
    expect(first.requests.at(-1)?.request).toMatchObject({
      model: DRAWING,
      prompt,
      ratio: { width: 21, height: 9 },
      count: 1,
    });
  });

  test('may have a prompt of 32 000 characters, whatever their size in bytes', async () => {
    await draw({ ...FOX, prompt: '🦊'.repeat(32_000) });
  });

  test('logs provider and model, but not the prompt', async () => {
    await draw({ ...FOX, prompt: 'a secret wish' });
    const isLine = (line: Record<string, unknown>) => line['route'] === '/ai/imagen' && line['provider'] === 'first';
    await expect.poll(() => service.logLines().findLast(isLine)).toMatchObject({ model: DRAWING, status: 200 });
    expect(service.logText()).not.toContain('secret wish');
  });
});

describe('an invalid request', () => {
  test.each<[string, Record<string, unknown>, string, string]>([
    ['no model', { model: undefined }, 'model', 'name of a model'],
    ['a model that is no text', { model: 5 }, 'model', 'name of a model'],
    ['an empty model', { model: '' }, 'model', 'name of a model'],
    ['no prompt', { prompt: undefined }, 'prompt', 'must be a text'],
    ['a prompt that is no text', { prompt: ['a fox'] }, 'prompt', 'must be a text'],
    ['an empty prompt', { prompt: '' }, 'prompt', 'must describe the image'],
    ['a blank prompt', { prompt: ' \n\t ' }, 'prompt', 'must describe the image'],
    ['a prompt that is too long', { prompt: 'x'.repeat(32_001) }, 'prompt', '32000 characters'],
    ['too many characters of two units', { prompt: '🦊'.repeat(32_001) }, 'prompt', '32000 characters'],
    ['an invalid ratio', { ratio: 'wide' }, 'ratio', ASPECT_RATIOS.join(', ')],
    ['a ratio that is not on the list', { ratio: '2:1' }, 'ratio', ASPECT_RATIOS.join(', ')],
    ['an empty ratio', { ratio: '' }, 'ratio', ASPECT_RATIOS.join(', ')],
    ['a ratio that is no text', { ratio: 1.5 }, 'ratio', ASPECT_RATIOS.join(', ')],
    ['a model that chats', { model: MODEL }, 'model', 'does not create images'],
  ])('%s is a 400 that names the field', async (_what, fields, param, words) => {
    const asked = first.requests.length;
    expect(await errorOf(await post({ ...FOX, ...fields }))).toEqual({
      status: 400,
      message: expect.stringContaining(words),
      type: 'invalid_request_error',
      param,
      code: 'invalid_request_error',
    });
    expect(first.requests).toHaveLength(asked);
  });

  test('for an unknown model is a 404', async () => {
    expect(await errorOf(await post({ ...FOX, model: 'nope' }))).toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    });
  });

  test.each<[string, unknown]>([
    ['/ai/openai/chat/completions', { model: DRAWING, messages: [{ role: 'user', content: 'Hi' }] }],
    ['/ai/v2', { model: DRAWING, request: { messages: [{ role: 'user', content: 'Hi' }] } }],
  ])('to chat with an image model is a 400 (%s)', async (path, body) => {
    expect(await errorOf(await service.post(path, body))).toMatchObject({
      status: 400,
      code: 'invalid_request_error',
      param: 'model',
      message: expect.stringContaining('/ai/imagen'),
    });
  });

  test.each([
    ['without a key', {}, { headers: { authorization: '' } }, 401],
    ['that is no JSON', '{', {}, 400],
    ['that is no object', [FOX], {}, 400],
    ['that is too large', { ...FOX, more: 'x'.repeat(21 * 2 ** 20) }, {}, 413],
    ['of another content type', FOX, { headers: { 'content-type': 'text/plain' } }, 415],
  ])('%s is answered as at other routes', async (_what, body, init, status) => {
    expect((await post(body, init)).status).toBe(status);
  });

  test('by GET is a 405', async () => {
    const response = await service.get('/ai/imagen');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });
});

describe('a provider that generates no image', () => {
  const refusal = (status: number) =>
    new ProviderRejectedError('first', status, {
      message: 'Your prompt was refused: violence.',
      param: 'prompt',
      code: 'content_policy_violation',
    });

  test.each([400, 403, 451])('because of its moderation (%i) is a 400 with its reason', async (status) => {
    first.scripts.push(drawNothing(refusal(status)));
    expect(await errorOf(await post(FOX))).toEqual({
      status: 400,
      message: 'Your prompt was refused: violence.',
      type: 'invalid_request_error',
      param: null,
      code: 'content_policy_violation',
    });
  });

  test('because of its moderation is the last one asked', async () => {
    const asked = second.requests.length;
    first.scripts.push(drawNothing(refusal(400)));
    expect((await post({ ...FOX, model: SHARED })).status).toBe(400);
    expect(second.requests).toHaveLength(asked);
  });

  test.each([
    ['is broken', new ProviderUnavailableError('first', 'first answered 500', { status: 500 }), 502, null],
    ['is too slow', new ProviderTimeoutError('first', 'total', 1000), 504, null],
    ['is rate limited', new ProviderUnavailableError('first', '429', { status: 429, retryAfterMs: 6100 }), 429, '7'],
    ['is overloaded', new ProviderUnavailableError('first', '503', { status: 503 }), 503, '10'],
    ['refuses our key', new ProviderUnavailableError('first', '401', { status: 401 }), 502, null],
    ['fails unexpectedly', new Error('the secret of the cause'), 500, null],
  ])('because it %s has its own status', async (_why, error, status, retryAfter) => {
    first.scripts.push(drawNothing(error));
    const response = await post(FOX);
    expect(response.headers.get('retry-after')).toBe(retryAfter);
    const told = await errorOf(response);
    expect(told).toMatchObject({ status, type: status === 429 ? 'rate_limit_error' : 'server_error', param: null });
    expect(JSON.stringify(told)).not.toMatch(/first|secret/);
  });

  test.each([
    ['half an image', drawPng(400, 300).subarray(0, 500)],
    ['a file that is no image', Buffer.from('<html>Sign in</html>')],
    ['nothing', Buffer.alloc(0)],
  ])('but sends %s is a 502', async (_what, bytes) => {
    first.scripts.push(() => [{ bytes }]);
    expect(await errorOf(await post(FOX))).toMatchObject({ status: 502, code: 'upstream_error' });
    // A provider that fails often would rest.
    await draw(FOX);
  });

  test('is followed by the next provider', async () => {
    first.scripts.push(drawNothing(new ProviderUnavailableError('first', 'first sent broken base64')));
    const answer = await draw({ ...FOX, model: SHARED, ratio: '4:5' });
    expect(await measure(answer.files[0])).toEqual(answer.size);
    expect(first.requests.at(-1)?.request.model).toBe(SHARED);
    expect(second.requests.at(-1)?.request).toMatchObject({ prompt: FOX.prompt, ratio: { width: 4, height: 5 } });
  });
});

test('the usage ledger has one row for each image, and none for a failure', async () => {
  const before = (await usageRows()).length;
  first.scripts.push(drawNothing(new ProviderTimeoutError('first', 'total', 1)), () => [{ bytes: Buffer.alloc(3) }]);
  expect([(await post(FOX)).status, (await post(FOX)).status]).toEqual([504, 502]);
  const answer = await draw(FOX);
  const ofAnswer = async () => (await usageRows()).filter(({ replyId }) => replyId === answer.id);
  await expect.poll(ofAnswer).toMatchObject([
    {
      userId: answer.user,
      kind: 'image',
      model: DRAWING,
      provider: 'first',
      imageCount: 1,
      completionTokens: answer.usage,
      finishReason: 'stop',
    },
  ]);
  // Other tests may have added rows meanwhile, but none for a failure.
  expect((await usageRows()).slice(before).every(({ imageCount, kind }) => kind === 'image' && imageCount === 1)).toBe(
    true,
  );
});

describe('an image of 40 MB', () => {
  let image: Buffer;
  beforeAll(async () => {
    const side = 3660;
    const noise = randomFillSync(Buffer.alloc(side * side * 3));
    image = await sharp(noise, { raw: { width: side, height: side, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toBuffer();
    expect(image.length).toBeGreaterThan(40_000_000);
  });
  test('is delivered byte for byte', async () => {
    first.scripts.push(() => [{ bytes: image }]);
    const answer = await draw(FOX);
    expect(Buffer.from(answer.files[0] ?? '', 'base64').equals(image)).toBe(true);
    expect(answer.size).toEqual({ width: 3660, height: 3660 });
  });

  test('waits for a slow client while other clients are served', async () => {
    first.scripts.push(() => [{ bytes: image }]);
    const connection = await connectRaw(service.port);
    connection.send(toRequestText(service));
    await connection.receive((text) => text.includes('"files":["'));
    connection.socket.pause();
    expect((await service.get('/healthz')).status).toBe(200);
    expect(await draw(FOX)).toMatchObject({ ratio: '1:1' });
    connection.socket.destroy();
  });

  test('does not wait without bound', async () => {
    const impatient = await startHttpService({
      database,
      imageProviders: [first.provider],
      clock: createFastClock(300),
    });
    first.scripts.push(() => [{ bytes: image }]);
    const connection = await connectRaw(impatient.port);
    connection.socket.pause();
    connection.send(toRequestText(service));
    const isBrokenOff = () => impatient.logLines().some((line) => line['isBrokenOff'] === true);
    await expect.poll(isBrokenOff).toBe(true);
    connection.socket.destroy();
    await impatient.close();
  });
});

test('stops new generations while clients leave too many bytes unread', async () => {
  const full = await startHttpService({
    database,
    imageProviders: [first.provider],
    maxHeldBytes: 40_000_000,
  });
  const big = randomFillSync(Buffer.alloc(2400 * 2400 * 3));
  const bytes = await sharp(big, { raw: { width: 2400, height: 2400, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer();
  first.scripts.push(() => [{ bytes }]);
  const connection = await connectRaw(full.port);
  connection.send(toRequestText(full));
  await connection.receive((text) => text.includes('"files":["'));
  connection.socket.pause();
  const refused = await full.post('/ai/imagen', FOX);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(await errorOf(refused)).toMatchObject({ status: 503, code: 'unavailable', type: 'server_error' });
  connection.socket.destroy();
  await expect.poll(async () => (await full.post('/ai/imagen', FOX)).status).toBe(200);
  await full.close();
});

describe('with one running image request per user', () => {
  const narrow = startBeforeAll(() =>
    startHttpService({ database, imageProviders: [first.provider], imagesAtOnce: 1 }),
  );
  const order = (prompt: string, init?: RequestInit) => narrow.post('/ai/imagen', { ...FOX, prompt }, init);

  test('a client that disconnects aborts the request to the provider', async () => {
    first.scripts.push(drawForever());
    const number = first.requests.length;
    const leaving = new AbortController();
    const answer = order('gone', { signal: leaving.signal }).catch(() => 'left');
    const { signal } = await first.request(number);
    const aborted = once(signal, 'abort');
    leaving.abort();
    expect(await answer).toBe('left');
    await aborted;
    expect((await order('next')).status).toBe(200);
    await expect.poll(() => narrow.logLines().filter((line) => line['isBrokenOff'] === true)).toHaveLength(1);
  });

  test('ten requests wait, one more is refused, a cancelled one is not generated, and other users do not wait', async () => {
    const number = first.requests.length;
    const gate = createGate();
    const nearest = drawNearest();
    first.drawUsually = async (request, signal) => {
      if (request.prompt === 'at work') await gate.passed;
      return nearest(request, signal);
    };
    const atWork = order('at work');
    await first.request(number);

    const leaving = new AbortController();
    const refused = Promise.withResolvers<Response>();
    const waiting = Array.from({ length: 11 }, async (_, index) => {
      const response = await order(`waiting ${index}`, { signal: leaving.signal }).catch(() => undefined);
      if (response?.status === 429) refused.resolve(response);
      return response?.status;
    });
    const answer = await refused.promise;
    expect(answer.headers.get('retry-after')).toBe('10');
    expect(await errorOf(answer)).toEqual({
      status: 429,
      message: expect.stringContaining('are already waiting'),
      type: 'rate_limit_error',
      param: null,
      code: 'rate_limit_exceeded',
    });

    const key = 'sk-sb-key-of-somebody-else';
    const [person] = await database.db.insert(users).values({}).returning();
    await database.db
      .insert(apiKeys)
      .values({ userId: person?.id ?? 0, hash: hashSecret(key), prefix: key.slice(0, 8), label: 'other' });
    const others = await order('of another person', { headers: { authorization: `Bearer ${key}` } });
    expect(await others.json()).toMatchObject({ user: person?.id });

    const countBrokenOff = () => narrow.logLines().filter((line) => line['isBrokenOff'] === true).length;
    const before = countBrokenOff();
    leaving.abort();
    await expect.poll(countBrokenOff).toBe(before + 10);
    gate.open();
    expect((await atWork).status).toBe(200);
    expect((await Promise.all(waiting)).filter((status) => status === undefined)).toHaveLength(10);
    expect((await order('after all that')).status).toBe(200);
    expect(first.requests.slice(number).map(({ request }) => request.prompt)).toEqual([
      'at work',
      'of another person',
      'after all that',
    ]);
  });

  test('requests run one after the other, in order', async () => {
    let atOnce = 0;
    let most = 0;
    const nearest = drawNearest();
    first.drawUsually = async (request, signal) => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setTimeout(resolve, 10));
      atOnce -= 1;
      return nearest(request, signal);
    };
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((prompt) => order(prompt)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(most).toBe(1);
  });
});
