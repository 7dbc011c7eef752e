import { InternalServerError, OpenAI, RateLimitError } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOpenAiCompatibleProvider } from '../../src/core/models/hosts/openai-compatible/openai-compatible-provider.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import {
  answerHello,
  answerJson,
  type Behaviour,
  die,
  type FakeProvider,
  openAiError,
  sseEvent,
  startFakeProvider,
  streamRaw,
} from '../support/hosts/fake-provider.ts';

const messages = [{ role: 'user' as const, content: 'Hi' }];
/** Error message of a provider about the operator's account. */
const ACCOUNT =
  'You exceeded your current quota of $50 in organization org-secret, check your plan and billing details';
const PICTURES = 'pictures-model';

let service: HttpService;
let other: FakeProvider;
let second: ReturnType<typeof createOpenAiCompatibleProvider>;
beforeAll(async () => {
  other = await startFakeProvider();
  second = createOpenAiCompatibleProvider(
    { clock: systemClock, logger: createLogger({ level: 'silent' }) },
    {
      kind: 'openai-compatible',
      name: 'second',
      baseUrl: other.baseUrl,
      apiKeys: ['sk-first-key', 'sk-second-key'],
      models: [
        { id: MODEL, type: 'chat' },
        { id: PICTURES, type: 'image' },
      ],
    },
  );
  service = await startHttpService({ imageProviders: [second] });
});
afterAll(async () => {
  await service.close();
  await second.close();
  await other.close();
});

const refuse = (status: number, headers: Record<string, string> = {}): Behaviour =>
  answerJson(status, openAiError(ACCOUNT, 'insufficient_quota'), headers);
/** Makes both hosts of the model answer like this from now on. */
const behaveAll = (first: Behaviour, then: Behaviour) => {
  service.provider.behaveUsually(first);
  other.behaveUsually(then);
  other.behaveElsewhere(then);
};

const WAYS: readonly [string, string, object][] = [
  ['/ai/openai', '/ai/openai/chat/completions', { model: MODEL, messages }],
  ['/ai/openai as a stream', '/ai/openai/chat/completions', { model: MODEL, messages, stream: true }],
  ['/ai/v2', '/ai/v2', { model: MODEL, request: { messages } }],
  ['/ai/v2 as a stream', '/ai/v2', { model: MODEL, request: { messages, stream: true } }],
];
const PICTURE_WAYS: readonly [string, string, object][] = [
  ['/ai/openai/images', '/ai/openai/images/generations', { model: PICTURES, prompt: 'a fox' }],
  ['/ai/imagen', '/ai/imagen', { model: PICTURES, prompt: 'a fox' }],
];

const answerOf = async (path: string, body: object) => {
  const response = await service.post(path, body);
  const text = await response.text();
  expect(text).not.toMatch(/quota|billing|org-secret|second|sk-/);
  return { status: response.status, retryAfter: response.headers.get('retry-after'), ...JSON.parse(text) };
};

describe.each([...WAYS, ...PICTURE_WAYS])('refusals of all providers at %s', (_way, path, body) => {
  test('are a 429 with the shortest retry time when all are rate limited', async () => {
    behaveAll(refuse(429, { 'retry-after': '7' }), refuse(429, { 'retry-after': '7' }));
    expect(await answerOf(path, body)).toMatchObject({
      status: 429,
      retryAfter: '7',
      error: {
        type: 'rate_limit_error',
        code: 'rate_limit_exceeded',
        message: 'All providers of this model are at their limit. Try again in 7 s.',
      },
    });
  });

  test('are a 503 with a retry time when all are unavailable', async () => {
    behaveAll(refuse(503, { 'retry-after': '9' }), refuse(503, { 'retry-after': '9' }));
    expect(await answerOf(path, body)).toMatchObject({
      status: 503,
      retryAfter: '9',
      error: { type: 'server_error', code: 'upstream_unavailable' },
    });
  });
});

describe('different refusals', () => {
  const limited = (seconds: string) => refuse(429, { 'retry-after': seconds });
  test.each<[string, Behaviour, Behaviour, number, string | null]>([
    ['two limits: the shorter time', limited('30'), limited('4'), 429, '4'],
    ['a limit and a broken host: the limit', limited('30'), refuse(500), 429, '30'],
    ['a host that dies and a limit: the limit', die(), limited('30'), 429, '30'],
    ['a limit and an overload: the shorter time', limited('30'), refuse(503, { 'retry-after': '5' }), 503, '5'],
    ['a limit and an overload without a time: the limit', limited('30'), refuse(503), 429, '30'],
    ['limits without times: a usual time', refuse(429), refuse(429), 429, '10'],
    ['a limit and an overload, both without times', refuse(429), refuse(503), 503, '10'],
    ['an overload in the words of Anthropic', refuse(529), refuse(529), 503, '10'],
    ['a limit without a time and a broken host', refuse(429), refuse(500), 502, null],
    ['a refused key and a limit: the limit', refuse(401), limited('3'), 429, '3'],
    ['broken hosts', refuse(500), refuse(500), 502, null],
    ['a negative time', limited('-5'), limited('-1e9'), 429, '10'],
    ['times that are none', limited('NaN'), limited('soon'), 429, '10'],
    ['no time at all', limited('0'), limited('0'), 429, '1'],
    ['times beyond all bounds', limited('9'.repeat(400)), limited('Fri, 31 Dec 9999 23:59:59 GMT'), 429, '86400'],
  ])('%s', async (_what, first, then, status, retryAfter) => {
    for (const [, path, body] of WAYS.slice(0, 2)) {
      behaveAll(first, then);
      expect(await answerOf(path, body)).toMatchObject({ status, retryAfter });
    }
  });

  test('of the keys of one host are reported with the shortest retry time', async () => {
    service.provider.behaveUsually(refuse(500));
    other.behaveUsually((exchange) =>
      (exchange.request.headers.authorization?.includes('first') ? limited('5') : limited('60'))(exchange),
    );
    expect(await answerOf('/ai/openai/chat/completions', { model: MODEL, messages })).toMatchObject({
      status: 429,
      retryAfter: '5',
    });
  });

  test('are reported in the first event of a stream as well', async () => {
    const event = sseEvent({ error: { message: ACCOUNT, code: 429 } });
    behaveAll(streamRaw([event]), streamRaw([event]));
    const answer = await answerOf('/ai/openai/chat/completions', { model: MODEL, messages, stream: true });
    expect(answer).toMatchObject({ status: 429, retryAfter: '10' });
  });
});

describe("OpenAI's own client", () => {
  const connect = (maxRetries: number) =>
    new OpenAI({ apiKey: service.apiKey, baseURL: `${service.url}/ai/openai`, maxRetries });

  test.each([true, false])('gets a RateLimitError with the retry time (stream: %s)', async (stream) => {
    behaveAll(refuse(429, { 'retry-after': '7' }), refuse(429, { 'retry-after': '8' }));
    const error = await connect(0)
      .chat.completions.create({ model: MODEL, messages, stream })
      .catch((thrown: unknown) => thrown);
    if (!(error instanceof RateLimitError)) throw error;
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'rate_limit_error' });
    expect(error.headers?.get('retry-after')).toBe('7');
  });

  test('gets a RateLimitError for images', async () => {
    behaveAll(refuse(429, { 'retry-after': '7' }), refuse(429, { 'retry-after': '8' }));
    const asked = connect(0).images.generate({ model: PICTURES, prompt: 'a fox' });
    await expect(asked).rejects.toBeInstanceOf(RateLimitError);
  });

  test('gets an InternalServerError with status 503 when all are unavailable', async () => {
    behaveAll(refuse(503), refuse(503));
    const error = await connect(0)
      .chat.completions.create({ model: MODEL, messages })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error).toMatchObject({ status: 503 });
  });

  test('retries after the retry time, and gets its answer', async () => {
    behaveAll(answerHello(), answerHello());
    service.provider.behave(refuse(429, { 'retry-after': '1' }));
    other.behave(refuse(429, { 'retry-after': '1' }), refuse(429, { 'retry-after': '1' }));
    const completion = await connect(1).chat.completions.create({ model: MODEL, messages });
    expect(completion.choices[0]?.message.content).toBe('Hello, world!');
  });
});
