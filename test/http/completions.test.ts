import { OpenAI } from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDemoProvider } from '../../demo/demo-provider.ts';
import { createOpenAiCompatibleProvider } from '../../src/core/models/hosts/openai-compatible/openai-compatible-provider.ts';
import { usage } from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import {
  answerHello,
  answerJson,
  answerRaw,
  type FakeProvider,
  hang,
  openAiError,
  sseEvent,
  startFakeProvider,
  streamRaw,
} from '../support/hosts/fake-provider.ts';
import { startStopwatch } from '../support/machine/measure.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const PATH = '/ai/openai/completions';
/** A model of two providers. */
const SHARED = 'shared-model';

let database: TestDatabase;
let second: FakeProvider;
let service: HttpService;
let client: OpenAI;
beforeAll(async () => {
  const deps = { clock: systemClock, logger: createLogger({ level: 'silent' }) };
  database = await createTestDatabase();
  second = await startFakeProvider();
  const spare = createOpenAiCompatibleProvider(deps, {
    kind: 'openai-compatible',
    name: 'spare',
    baseUrl: second.baseUrl,
    apiKeys: [],
    models: [{ id: SHARED, type: 'chat' }],
  });
  const demo = createDemoProvider(deps, { kind: 'demo', wordsPerSecond: 0 });
  service = await startHttpService({
    database,
    otherModels: [
      { id: SHARED, type: 'chat' },
      { id: 'fake-embedding', type: 'embedding' },
    ],
    imageProviders: [spare, demo],
    timeouts: { totalMs: 800, firstTokenMs: 800 },
    plans: { universal: { key: { tokensPerDay: 1_000_000 } } },
  });
  client = new OpenAI({ apiKey: service.apiKey, baseURL: `${service.url}/ai/openai`, maxRetries: 0 });
});
afterEach(() => {
  service.provider.behaveElsewhere(answerJson(404, openAiError('no such path')));
  second.behaveElsewhere(answerJson(404, openAiError('no such path')));
});
afterAll(async () => {
  await service.close();
  await second.close();
  await database.close();
});

const HEAD = { id: 'cmpl-7', object: 'text_completion', created: 1_767_225_600, model: 'upstream' };
const USAGE = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const toChoice = (index: number, text: string, finish_reason: string | null = 'stop') => ({
  index,
  text,
  logprobs: null,
  finish_reason,
});
const sent = () => service.provider.requests.at(-1);
const rows = async () => {
  await service.writtenDown();
  return database.db.select().from(usage);
};

describe('a whole completion', () => {
  test("of OpenAI's client is the host's answer byte for byte, and the host gets every field", async () => {
    const body = ` ${JSON.stringify({ ...HEAD, choices: [toChoice(0, 'in between')], usage: USAGE, extra: 1 })}`;
    service.provider.behaveElsewhere(answerRaw(200, 'application/json', body));
    const request = {
      model: MODEL,
      prompt: 'def f(',
      suffix: 'return x',
      max_tokens: 9,
      logprobs: 2,
      logit_bias: { '50256': -100 },
      echo: false,
      best_of: 2,
      user: 'u',
    };
    const completion = await client.completions.create(request);
    expect(completion.choices[0]?.text).toBe('in between');
    expect(sent()).toMatchObject({ method: 'POST', url: '/v1/completions', body: request });
    expect(await (await service.post(PATH, { ...request, model: `fake/${MODEL}` })).text()).toBe(body);
    expect(sent()?.body).toEqual(request);
  });

  test('of several prompts and of tokens is passed on', async () => {
    for (const prompt of [
      ['One', 'Two'],
      [1, 2],
      [[1], [2, 3]],
    ]) {
      service.provider.behaveElsewhere(answerJson(200, { ...HEAD, choices: [toChoice(0, 'a'), toChoice(1, 'b')] }));
      expect((await client.completions.create({ model: MODEL, prompt })).choices).toHaveLength(2);
      expect(sent()?.body).toMatchObject({ prompt });
    }
  });
});

describe('a stream', () => {
  const events = (choices: number, withUsage: boolean) => [
    ...Array.from({ length: choices }, (_, index) => sseEvent({ ...HEAD, choices: [toChoice(index, 'Hel', null)] })),
    ...Array.from({ length: choices }, (_, index) => sseEvent({ ...HEAD, choices: [toChoice(index, 'lo')] })),
    ...(withUsage ? [sseEvent({ ...HEAD, choices: [], usage: USAGE })] : []),
    'data: [DONE]\n\n',
  ];

  test("of OpenAI's client has the events of the host, usage only if requested", async () => {
    for (const include_usage of [true, false]) {
      service.provider.behaveElsewhere(streamRaw(events(1, true)));
      const params = { model: MODEL, prompt: 'Hi', stream: true, stream_options: { include_usage } } as const;
      const chunks = await Array.fromAsync(await client.completions.create(params));
      expect(chunks.map((chunk) => chunk.choices[0]?.text ?? '').join('')).toBe('Hello');
      expect(chunks.at(-1)?.usage?.total_tokens).toBe(include_usage ? 7 : undefined);
      expect(sent()?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    }
    service.provider.behaveElsewhere(streamRaw(events(2, false)));
    const raw = await (await service.post(PATH, { model: MODEL, prompt: ['a', 'b'], stream: true })).text();
    expect(raw).toBe(events(2, false).join(''));
  });

  test('that breaks off ends with an error, and the delivered tokens are recorded', async () => {
    await rows();
    await database.db.delete(usage);
    // The second choice has no end.
    service.provider.behaveElsewhere(streamRaw(events(2, false).slice(0, 3), { end: 'cut' }));
    const raw = await (await service.post(PATH, { model: MODEL, prompt: ['a', 'b'], stream: true })).text();
    expect(raw).toMatch(/data: \{"error":.*"stream_interrupted".*\n\n$/);
    expect(await rows()).toMatchObject([{ kind: 'chat', completionTokens: 3, isEstimated: true }]);
  });

  test('is aborted at the host when the client leaves', async () => {
    service.provider.behaveElsewhere(streamRaw(events(1, false).slice(0, 1), { end: 'hang' }));
    const leaving = new AbortController();
    const params = { model: MODEL, prompt: 'Hi', stream: true } as const;
    const stream = await client.completions.create(params, { signal: leaving.signal });
    await stream[Symbol.asyncIterator]().next();
    const elapsedMs = startStopwatch();
    leaving.abort();
    await sent()?.closed;
    expect(elapsedMs()).toBeLessThan(100);
  });
});

describe('the demonstration', () => {
  test('answers every prompt, as in chats', async () => {
    const params = { model: 'demo', prompt: ['count to 3', 'count to 2'], n: 2, echo: true };
    const whole = await client.completions.create(params);
    const texts = ['count to 31, 2, 3', 'count to 31, 2, 3', 'count to 21, 2', 'count to 21, 2'];
    expect(whole.id).toMatch(/^cmpl-/);
    expect(whole.choices.map(({ text }) => text)).toEqual(texts);
    expect(whole.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(whole.usage?.completion_tokens).toBe(10);
    const streamed = ['', '', '', ''];
    const reasons: (string | null)[] = [];
    for await (const { choices } of await client.completions.create({ ...params, stream: true })) {
      for (const { index, text, finish_reason: reason } of choices) {
        streamed[index] += text;
        if (reason) reasons[index] = reason;
      }
    }
    expect(streamed).toEqual(texts);
    expect(reasons).toEqual(['stop', 'stop', 'stop', 'stop']);
  });

  test('ends at a stop sequence and at the maximum length', async () => {
    const params = { model: 'demo', prompt: 'count to 5' };
    expect((await client.completions.create({ ...params, stop: ', 3' })).choices[0]?.text).toBe('1, 2');
    expect((await client.completions.create({ ...params, max_tokens: 2 })).choices[0]?.finish_reason).toBe('length');
  });
});

test('a completion is counted like a chat', async () => {
  await rows();
  await database.db.delete(usage);
  service.provider.behaveElsewhere(answerJson(200, { ...HEAD, choices: [toChoice(0, 'Hello')], usage: USAGE }));
  const limited = await service.post(PATH, { model: MODEL, prompt: 'Hi', max_tokens: 50, best_of: 3 });
  // The reservation: one token of the prompt, and three answers of 50 tokens.
  const limits = ['limit', 'remaining'].map((name) => Number(limited.headers.get(`x-ratelimit-${name}-tokens`)));
  expect((limits[0] ?? 0) - (limits[1] ?? 0)).toBeGreaterThanOrEqual(151);
  service.provider.behaveElsewhere(answerJson(200, { ...HEAD, choices: [toChoice(0, 'Hello')] }));
  await service.post(PATH, { model: MODEL, prompt: [[1, 2, 3]] });
  expect(await rows()).toMatchObject([
    { kind: 'chat', model: MODEL, provider: 'fake', promptTokens: 3, completionTokens: 4, isEstimated: false },
    { kind: 'chat', model: MODEL, completionTokens: 1, isEstimated: true },
  ]);
});

test('a host without completions is followed by the next, and goes on chatting', async () => {
  second.behaveElsewhere(answerJson(200, { ...HEAD, choices: [toChoice(0, 'second')] }));
  const completion = await client.completions.create({ model: SHARED, prompt: 'Hi' });
  expect(completion.choices[0]?.text).toBe('second');
  service.provider.behaveUsually(answerHello({ pieces: ['first'] }));
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  const chat = await client.chat.completions.create({ model: SHARED, messages });
  expect(chat.choices[0]?.message.content).toBe('first');
});

test('a model whose hosts all lack completions is a 404 that says so', async () => {
  const response = await service.post(PATH, { model: 'vendor/deep/model:free', prompt: 'Hi' });
  expect([response.status, await response.json()]).toMatchObject([
    404,
    { error: { param: 'model', message: expect.stringContaining('none of its providers has text completions') } },
  ]);
});

describe('a request', () => {
  test.each<[string, Record<string, unknown>, string, string]>([
    ['without a model', { model: undefined }, 'model', 'name of a model'],
    ['without a prompt', { prompt: undefined }, 'prompt', 'must be a text or a list of tokens'],
    ['with an empty list', { prompt: [] }, 'prompt', 'must not be empty'],
    ['with no tokens', { prompt: [[]] }, 'prompt[0]', 'must not be empty'],
    ['with a number among texts', { prompt: ['a', 1] }, 'prompt[1]', 'must be a text'],
    ['with too many prompts', { prompt: Array(129).fill('x') }, 'prompt', 'more than 128'],
    ['with too many choices of prompts', { prompt: ['a', 'b'], n: 65 }, 'prompt', 'more than 128'],
    ['with too many choices', { n: 129 }, 'n', 'from 1 to 128'],
    ['with too many candidates', { best_of: -1 }, 'best_of', 'from 1 to 128'],
    ['with a negative length', { max_tokens: -1 }, 'max_tokens', 'from 0 to'],
    ['with a flag as logprobs', { logprobs: true }, 'logprobs', 'whole number'],
    ['with a number as stop', { stop: 5 }, 'stop', 'text or a list of texts'],
    ['with a list as suffix', { suffix: [] }, 'suffix', 'must be a text'],
    ['with a text as stream', { stream: 'yes' }, 'stream', 'true or false'],
    ['with a misspelled field', { maxTokens: 5 }, 'maxTokens', "spelled 'max_tokens'"],
    ['for an embedding model', { model: 'fake-embedding' }, 'model', 'creates embeddings and does not chat'],
    ['with tokens for the demonstration', { model: 'demo', prompt: [1] }, 'prompt', 'send texts'],
    ['with logprobs for the demonstration', { model: 'demo', logprobs: 1, stream: true }, 'logprobs', 'no logprobs'],
  ])('%s is a 400 that names the field', async (_what, fields, param, words) => {
    const response = await service.post(PATH, { model: MODEL, prompt: 'x', ...fields });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { param, message: expect.stringContaining(words), type: 'invalid_request_error' } },
    ]);
  });
});

test('a host that sends something else, or nothing, is a 502 or a 504', async () => {
  for (const choices of [undefined, [], [{ message: { content: 'a chat' } }]]) {
    service.provider.behaveElsewhere(answerJson(200, { ...HEAD, choices }));
    expect((await service.post(PATH, { model: MODEL, prompt: 'x' })).status).toBe(502);
  }
  service.provider.behaveElsewhere(hang());
  expect((await service.post(PATH, { model: MODEL, prompt: 'x' })).status).toBe(504);
  expect((await service.post(PATH, { model: MODEL, prompt: 'x', stream: true })).status).toBe(504);
});
