import { randomBytes } from 'node:crypto';
import { ConflictError, OpenAI } from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { usage } from '../../src/database/schema/index.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import {
  answerHello,
  answerJson,
  answerRaw,
  hang,
  openAiError,
  sseEvent,
  streamRaw,
} from '../support/hosts/fake-provider.ts';
import { type ProviderUnderTest, startProviderUnderTest } from '../support/hosts/provider-under-test.ts';
import { createScriptedImages } from '../support/hosts/scripted-images.ts';
import { startStopwatch } from '../support/machine/measure.ts';
import { drawPng } from '../support/samples/media.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const CHAT_PATH = '/ai/openai/chat/completions';
const messages = [{ role: 'user' as const, content: 'Hi' }];
const CHAT = { model: MODEL, messages };
const IMAGE = { model: 'painter', prompt: 'a lighthouse' };
/** Every route, its body and its stream. */
const ROUTES: readonly [string, object][] = [
  [CHAT_PATH, CHAT],
  [CHAT_PATH, { ...CHAT, stream: true }],
  ['/v1/chat/completions', CHAT],
  ['/ai/openai/responses', { model: MODEL, input: 'Hi', store: false }],
  ['/ai/openai/responses', { model: MODEL, input: 'Hi', store: false, stream: true }],
  ['/v1/messages', { ...CHAT, max_tokens: 100 }],
  ['/v1/messages', { ...CHAT, max_tokens: 100, stream: true }],
  ['/ai/v2', { model: MODEL, request: { messages } }],
  ['/ai/v2', { model: MODEL, request: { messages, stream: true } }],
  ['/ai/openai/images/generations', IMAGE],
  ['/ai/imagen', IMAGE],
];

describeOnEveryDatabase('idempotency keys', (createDatabase) => {
  let database: TestDatabase;
  /** Two servers on one database, each with a provider of its own. */
  let services: readonly [HttpService, HttpService];
  const images = createScriptedImages('studio', [{ id: 'painter', type: 'image', acceptsImages: true }]);
  let sounds: ProviderUnderTest;
  let key: string;
  let number = 0;
  beforeAll(async () => {
    database = await createDatabase();
    sounds = await startProviderUnderTest({
      models: [
        { id: 'tts', type: 'speech' },
        { id: 'whisper', type: 'transcription' },
      ],
    });
    const options = { database, imageProviders: [images.provider, sounds.provider] };
    services = [await startHttpService(options), await startHttpService(options)];
  });
  beforeEach(async () => {
    number += 1;
    key = `key-${number}`;
    await Promise.all(services.map((service) => service.writtenDown()));
    await database.db.delete(usage);
  });
  afterEach(() => {
    for (const { provider } of services) provider.behaveUsually(answerHello());
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.close()));
    await sounds.close();
    await database.close();
  });

  const post = (at: 0 | 1, path: string, body: object, init: RequestInit = {}) =>
    services[at].post(path, body, { ...init, headers: { 'idempotency-key': key, ...init.headers } });
  const countGenerations = () =>
    services.reduce((sum, { provider }) => sum + provider.chatRequests.length, images.requests.length);
  const countUsageRows = async () => {
    for (const service of services) await service.writtenDown();
    return database.db.$count(usage);
  };
  const read = async (response: Response) => ({
    status: response.status,
    type: response.headers.get('content-type'),
    isReplayed: response.headers.get('idempotent-replayed') === 'true',
    body: Buffer.from(await response.arrayBuffer()).toString('latin1'),
  });

  test.each(ROUTES)('%s replays the answer, byte by byte, in both processes (%j)', async (path, body) => {
    const before = countGenerations();
    const first = await read(await post(0, path, body));
    expect(first).toMatchObject({ status: 200, isReplayed: false });
    expect(first.body.length).toBeGreaterThan(50);
    for (const at of [0, 1] as const) {
      const response = await post(at, path, body);
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
      expect(await read(response)).toEqual({ ...first, isReplayed: true });
    }
    expect(countGenerations()).toBe(before + 1);
    expect(await countUsageRows()).toBe(1);
    const findLine = () => services[1].logLines().findLast(({ isReplayed }) => isReplayed);
    await expect.poll(findLine).toMatchObject({ msg: 'request answered', status: 200 });
  });

  test('a stream is replayed as a stream to the official client', async () => {
    const client = new OpenAI({ apiKey: services[1].apiKey, baseURL: `${services[1].url}/v1` });
    const ask = async () => {
      const headers = { 'Idempotency-Key': key };
      const stream = await client.chat.completions.create({ ...CHAT, stream: true }, { headers });
      return Array.fromAsync(stream);
    };
    const chunks = await ask();
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hello, world!');
    expect(await ask()).toEqual(chunks);
    expect(await countUsageRows()).toBe(1);
  });

  test.each([false, true])('concurrent requests of both processes get one answer (stream: %s)', async (stream) => {
    for (const { provider } of services) provider.behaveUsually(answerHello({ everyMs: 40 }));
    const before = countGenerations();
    const body = { ...CHAT, stream };
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => read(await post(at % 2 === 0 ? 0 : 1, CHAT_PATH, body))),
    );
    expect(answers.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.body)).size).toBe(1);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(countGenerations()).toBe(before + 1);
    expect(await countUsageRows()).toBe(1);
  });

  test('another body is a conflict, which official clients do not retry', async () => {
    await read(await post(0, CHAT_PATH, CHAT));
    const response = await post(1, CHAT_PATH, { ...CHAT, temperature: 0 });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', code: 'idempotency_conflict' },
    });
    const client = new OpenAI({ apiKey: services[1].apiKey, baseURL: `${services[1].url}/v1` });
    const lineCount = () => services[1].logLines().filter(({ status }) => status === 409).length;
    const before = lineCount();
    const asked = client.chat.completions.create({ ...CHAT, seed: 1 }, { headers: { 'idempotency-key': key } });
    await expect(asked).rejects.toThrow(ConflictError);
    await expect.poll(lineCount).toBe(before + 1);
  });

  test("another body is a conflict in the shape of Anthropic's errors as well", async () => {
    const body = { ...CHAT, max_tokens: 100 };
    await read(await post(0, '/ai/anthropic/messages', body));
    const response = await post(1, '/v1/messages', { ...body, max_tokens: 101 });
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([409, 'false']);
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining('Idempotency-Key') },
    });
  });

  test('another route is another key', async () => {
    await read(await post(0, '/ai/openai/images/generations', IMAGE));
    expect(await read(await post(0, '/ai/imagen', IMAGE))).toMatchObject({ status: 200, isReplayed: false });
    // Two addresses of one route.
    expect(await read(await post(0, '/v1/images/generations', IMAGE))).toMatchObject({ isReplayed: true });
  });

  test('a repeated form may have another boundary; another file is a conflict', async () => {
    const send = (at: 0 | 1, bytes: Buffer) => {
      const form = new FormData();
      form.set('model', 'painter');
      form.set('prompt', 'make it night');
      form.set('image', new Blob([bytes], { type: 'image/png' }), 'image.png');
      const headers = { authorization: `Bearer ${services[at].apiKey}`, 'idempotency-key': key };
      return fetch(`${services[at].url}/v1/images/edits`, { method: 'POST', body: form, headers });
    };
    const image = drawPng(30, 20);
    const first = await read(await send(0, image));
    expect(first).toMatchObject({ status: 200, isReplayed: false });
    expect(await read(await send(1, image))).toEqual({ ...first, isReplayed: true });
    expect((await send(1, drawPng(20, 30))).status).toBe(409);
  });

  test('speech is replayed byte by byte, and generated anew if it broke off', async () => {
    const body = { model: 'tts', input: 'Hello.', voice: 'nova' };
    const sound = randomBytes(500_000);
    sounds.host.behaveElsewhere(({ response }) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      response.write(sound.subarray(0, 300_000), () => response.destroy());
    });
    await expect(post(0, '/v1/audio/speech', body).then(read)).rejects.toThrow();
    sounds.host.behaveElsewhere(answerRaw(200, 'audio/mpeg', sound));
    const first = await read(await post(0, '/v1/audio/speech', body));
    expect(first).toMatchObject({ status: 200, type: 'audio/mpeg', isReplayed: false });
    expect(first.body).toBe(sound.toString('latin1'));
    expect(await read(await post(1, '/v1/audio/speech', body))).toEqual({ ...first, isReplayed: true });
  });

  test('another user with the same key gets an answer of their own', async () => {
    const [service] = services;
    const user = await service.accounts.ensureTelegramUser(4711);
    const { secret = '' } = (await service.apiKeys.create(user.id, 'laptop')) ?? {};
    await read(await post(0, CHAT_PATH, CHAT));
    const headers = { authorization: `Bearer ${secret}` };
    const before = countGenerations();
    expect(await read(await post(0, CHAT_PATH, CHAT, { headers }))).toMatchObject({ status: 200, isReplayed: false });
    expect((await post(0, CHAT_PATH, { ...CHAT, seed: 2 }, { headers })).status).toBe(409);
    expect(countGenerations()).toBe(before + 1);
    // Another key of the same user.
    const { secret: second = '' } = (await service.apiKeys.create(user.id, 'phone')) ?? {};
    const others = { authorization: `Bearer ${second}` };
    expect(await read(await post(1, CHAT_PATH, CHAT, { headers: others }))).toMatchObject({ isReplayed: true });
  });

  test('a key for certain models gets no answer of its user that another key has got', async () => {
    const [service] = services;
    const user = await service.accounts.ensureTelegramUser(4712);
    const make = async (rules: Parameters<typeof service.apiKeys.create>[2]) => {
      const made = await service.apiKeys.create(user.id, 'laptop', rules);
      return { authorization: `Bearer ${made?.secret}` };
    };
    const all = await make({});
    const some = await make({ allowedModels: ['other-*'] });
    const same = await make({ allowedModels: [MODEL] });
    expect(await read(await post(0, CHAT_PATH, CHAT, { headers: all }))).toMatchObject({ status: 200 });
    expect((await post(0, CHAT_PATH, CHAT, { headers: some })).status).toBe(403);
    for (const isReplayed of [false, true])
      expect(await read(await post(1, CHAT_PATH, CHAT, { headers: same }))).toMatchObject({ status: 200, isReplayed });
  });

  test.each([
    ['a refusal', answerJson(400, openAiError('too long')), 400],
    ['a rate limit', answerJson(429, openAiError('slow down'), { 'retry-after': '1' }), 429],
    ['a failure', answerJson(500, openAiError('oops')), 502],
  ])('%s is not replayed: a retry generates anew', async (_kind, behaviour, status) => {
    const service = await startHttpService({ database });
    try {
      service.provider.behave(behaviour);
      const headers = { 'idempotency-key': key };
      expect((await service.post(CHAT_PATH, CHAT, { headers })).status).toBe(status);
      const next = await post(0, CHAT_PATH, CHAT);
      expect(await read(next)).toMatchObject({ status: 200, isReplayed: false });
    } finally {
      await service.close();
    }
  });

  test('requests that wait for a failure get the same failure', async () => {
    services[0].provider.behave(async (exchange) => {
      await exchange.wait(300);
      await answerJson(400, openAiError('too long'))(exchange);
    });
    const count = services[0].provider.chatRequests.length;
    const first = post(0, CHAT_PATH, CHAT);
    await services[0].provider.chatRequest(count);
    const joined = await Promise.all(([0, 1] as const).map(async (at) => read(await post(at, CHAT_PATH, CHAT))));
    const { body } = await read(await first);
    for (const one of joined) expect(one).toMatchObject({ status: 400, isReplayed: true, body });
    expect(await read(await post(1, CHAT_PATH, CHAT))).toMatchObject({ status: 200, isReplayed: false });
  });

  test.each([
    [CHAT_PATH, { ...CHAT, stream: true }],
    ['/ai/v2', { model: MODEL, request: { messages, stream: true } }],
    ['/ai/openai/responses', { model: MODEL, input: 'Hi', store: false, stream: true }],
    ['/v1/messages', { ...CHAT, max_tokens: 100, stream: true }],
  ])('%s does not replay a stream that broke off', async (path, body) => {
    const chunk = sseEvent({ id: 'x', choices: [{ index: 0, delta: { content: 'half' }, finish_reason: null }] });
    services[0].provider.behave(streamRaw([chunk], { end: 'cut' }));
    expect((await read(await post(0, path, body))).body).toMatch(/half[\s\S]*error/);
    const whole = await read(await post(0, path, body));
    expect(whole).toMatchObject({ isReplayed: false, body: expect.stringMatching(/\[DONE\]|message_stop/) });
    expect(await read(await post(1, path, body))).toEqual({ ...whole, isReplayed: true });
  });

  test('/ai/v2 does not replay an answer with the finish reason "error"', async () => {
    const body = { model: MODEL, request: { messages } };
    services[0].provider.behave(answerJson(200, { no: 'completion' }));
    expect((await read(await post(0, '/ai/v2', body))).body).toContain('"error"');
    expect(await read(await post(0, '/ai/v2', body))).toMatchObject({ isReplayed: false });
  });

  test.each([false, true])(
    'a client that leaves ends the generation; the next request generates anew (%s)',
    async (stream) => {
      const body = { ...CHAT, stream };
      services[0].provider.behave(hang());
      const leaving = new AbortController();
      const count = services[0].provider.chatRequests.length;
      const left = post(0, CHAT_PATH, body, { signal: leaving.signal }).catch(() => 'left');
      const upstream = await services[0].provider.chatRequest(count);
      // It waits in the other process, and continues when the first one is gone.
      const joined = post(1, CHAT_PATH, body);
      await new Promise((resolve) => setTimeout(resolve, 100));
      const elapsedMs = startStopwatch();
      leaving.abort();
      expect(await left).toBe('left');
      await upstream.closed;
      expect(elapsedMs()).toBeLessThan(100);
      const whole = await read(await joined);
      expect(whole).toMatchObject({ status: 200, isReplayed: false });
      expect(await read(await post(0, CHAT_PATH, body))).toEqual({ ...whole, isReplayed: true });
    },
  );

  test('a request that waits can leave', async () => {
    services[0].provider.behave(answerHello({ everyMs: 60 }));
    const first = post(0, CHAT_PATH, { ...CHAT, stream: true });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const leaving = new AbortController();
    const joined = post(1, CHAT_PATH, { ...CHAT, stream: true }, { signal: leaving.signal }).catch(() => 'left');
    setTimeout(() => leaving.abort(), 50);
    expect(await joined).toBe('left');
    expect((await read(await first)).body).toContain('[DONE]');
  });

  describe('the key', () => {
    test.each([['a'], ['~'.repeat(255)], ['"in-quotes"']])('may be %j', async (given) => {
      const headers = { 'IDEMPOTENCY-KEY': `${given}` };
      const before = countGenerations();
      await read(await services[0].post(CHAT_PATH, CHAT, { headers }));
      expect(await read(await services[1].post(CHAT_PATH, CHAT, { headers }))).toMatchObject({ isReplayed: true });
      expect(countGenerations()).toBe(before + 1);
    });

    test.each([[''], ['x'.repeat(256)], ['two words'], ['tab\there'], ['ключ']])('must not be %j', async (given) => {
      const headers = { 'idempotency-key': Buffer.from(given).toString('latin1') };
      const response = await services[0].post(CHAT_PATH, CHAT, { headers });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { type: 'invalid_request_error', message: expect.stringContaining("'Idempotency-Key'") },
      });
    });

    test('has no effect on other methods', async () => {
      const headers = { 'idempotency-key': key };
      for (const _time of [1, 2]) {
        const response = await services[0].get('/ai/openai/models', { headers });
        expect(await read(response)).toMatchObject({ status: 200, isReplayed: false });
      }
    });

    test('is stored as a hash only', async () => {
      key = 'a-text-that-could-be-a-secret';
      await read(await post(0, CHAT_PATH, CHAT));
      const rows = await database.db.execute('select database_to_xml(true, false, $$$$)::text as dump');
      expect(JSON.stringify(rows)).not.toContain(key);
    });
  });
});
