import { OpenAI, RateLimitError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Plans } from '../../src/core/limits/index.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import {
  answerHello,
  answerJson,
  openAiError,
  sseEvent,
  streamEventsOf,
  streamRaw,
} from '../support/hosts/fake-provider.ts';
import { createScriptedImages } from '../support/hosts/scripted-images.ts';
import { createGate } from '../support/hosts/scripted-models.ts';
import { startStopwatch } from '../support/machine/measure.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const messages = [{ role: 'user' as const, content: 'Hi' }];
const PLANS: Plans = {
  free: { user: { requestsPerMinute: 10 }, key: { tokensPerDay: 1000 } },
  ten: { user: { requestsPerMinute: 10 } },
  thousand: { key: { tokensPerDay: 1000 } },
  single: { user: { atOnce: 1 } },
  artist: { user: { imagesPerDay: 2 } },
  home: { address: { requestsPerMinute: 3 } },
  open: {},
  universal: { key: { requestsPerMinute: 4 } },
};

let database: TestDatabase;
let service: HttpService;
let users = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startHttpService({
    database,
    plans: PLANS,
    imageProviders: [createScriptedImages('painter', [{ id: 'brush', type: 'image' }]).provider],
  });
});
beforeEach(() => service.provider.behaveUsually(answerHello()));
afterAll(async () => {
  await service.close();
  await database.close();
});

/** Returns a key of a new user. */
async function makeKey(plan?: string): Promise<string> {
  const person = await service.accounts.ensureTelegramUser(++users);
  await service.accounts.setPlan(person.id, plan);
  const made = await service.apiKeys.create(person.id, 'test');
  return made?.secret ?? '';
}

function connect(apiKey: string, maxRetries = 0) {
  return new OpenAI({ apiKey, baseURL: `${service.url}/ai/openai`, maxRetries });
}

const ask = (key: string, body: object = {}) =>
  service.post(
    '/ai/openai/chat/completions',
    { model: MODEL, messages, ...body },
    { headers: { authorization: `Bearer ${key}` } },
  );

describe('a hundred concurrent requests', () => {
  test.each([
    ['requests a minute', 'ten', {}],
    ['tokens a day', 'thousand', { max_tokens: 90 }],
    ['requests a minute, as streams', 'ten', { stream: true }],
  ])('with a quota of %s for ten get ten answers and ninety clean 429', async (_, plan, body) => {
    const key = await makeKey(plan);
    // No request ends, and returns quota, before all have started.
    const gate = createGate();
    service.provider.behaveUsually(async (exchange) => {
      await gate.passed;
      await answerHello()(exchange);
    });
    let answeredCount = 0;
    const asks = Array.from({ length: 100 }, async () => {
      const answer = await ask(key, body);
      answeredCount += 1;
      if (answeredCount === 90) gate.open();
      return answer;
    });
    const answers = await Promise.all(asks);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const refused = answers.flatMap((answer, at) => (answer.status === 429 ? [{ answer, text: texts[at] ?? '' }] : []));
    expect(refused).toHaveLength(90);
    for (const { answer, text } of refused) {
      expect(JSON.parse(text).error.code).toMatch(/^(rate_limit_exceeded|insufficient_quota)$/);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });
});

describe('an answer', () => {
  test('reports the remaining quota in its headers', async () => {
    const key = await makeKey();
    const { headers } = await ask(key);
    const facts = Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-ratelimit-')));
    expect(facts).toMatchObject({
      'x-ratelimit-limit-requests': '10',
      'x-ratelimit-remaining-requests': '9',
      'x-ratelimit-limit-tokens': '1000',
    });
    expect(facts['x-ratelimit-reset-requests']).toMatch(/^(1m0s|[\d.]+s)$/);
    expect(facts['x-ratelimit-reset-tokens']).toMatch(/^(\d+h)?(\d+m)?[\d.]+s$/);
    // The rest of the reservation is returned: the provider counts 9 tokens.
    expect((await ask(key, { max_tokens: 1 })).headers.get('x-ratelimit-remaining-tokens')).toBe(String(1000 - 9 - 2));
  });

  test('reports it in the headers of a stream and of the native API as well', async () => {
    const key = await makeKey();
    const stream = await ask(key, { stream: true });
    expect(stream.headers.get('x-ratelimit-remaining-requests')).toBe('9');
    await stream.text();
    const native = await service.post(
      '/ai/v2',
      { model: MODEL, request: { messages } },
      { headers: { authorization: `Bearer ${key}` } },
    );
    expect(native.headers.get('x-ratelimit-remaining-requests')).toBe('8');
  });

  test('reports nothing without limits', async () => {
    const { status, headers } = await ask(await makeKey('open'));
    expect(status).toBe(200);
    expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });
});

describe("OpenAI's own client", () => {
  test('gets a RateLimitError with code and headers', async () => {
    const client = connect(await makeKey());
    for (let round = 0; round < 10; round++)
      await client.chat.completions.create({ model: MODEL, messages, max_tokens: 1 });
    const error = await client.chat.completions.create({ model: MODEL, messages }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'requests' });
    if (!(error instanceof RateLimitError)) throw error;
    expect(error.message).toMatch(
      /^429 The limit of 10 requests per minute for you and all your keys is reached\. Please try again in (1m0s|\d+s)\.$/,
    );
    expect(error.headers?.get('x-ratelimit-remaining-requests')).toBe('0');
  });

  test('retries after a short limit, and gets its answer', async () => {
    const key = await makeKey('single');
    service.provider.behaveUsually(answerHello({ everyMs: 100 }));
    const first = await connect(key).chat.completions.create({ model: MODEL, messages, stream: true });
    const second = connect(key, 5).chat.completions.create({ model: MODEL, messages });
    for await (const _ of first);
    expect((await second).choices[0]?.message.content).toBe('Hello, world!');
  });

  test('does not retry when the daily quota is used up', async () => {
    const key = await makeKey('artist');
    const order = { model: 'brush', prompt: 'a fox', n: 2 };
    await connect(key).images.generate(order);
    const elapsedMs = startStopwatch();
    const error = await connect(key, 5)
      .images.generate(order)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 429, code: 'insufficient_quota', type: 'insufficient_quota' });
    expect(elapsedMs()).toBeLessThan(5000);
    if (!(error instanceof RateLimitError)) throw error;
    expect(Number(error.headers?.get('retry-after'))).toBeLessThanOrEqual(86_400);
    expect(error.message).toMatch(
      /2 images per day for you and all your keys is used up\. It resets in .*, at 00:00 UTC\.$/,
    );
  });
});

describe('limits', () => {
  test('of an address count all its users together', async () => {
    const keys = await Promise.all(Array.from({ length: 3 }, () => makeKey('home')));
    const statuses = [];
    for (const key of [...keys, ...keys]) statuses.push((await ask(key)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
  });

  test('of the universal key are separate', async () => {
    const statuses = [];
    for (let round = 0; round < 5; round++) statuses.push((await ask(service.apiKey)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
  });

  test('return the unused part of failed requests', async () => {
    const key = await makeKey();
    service.provider.behaveUsually(answerJson(400, openAiError('no')));
    expect((await ask(key, { max_tokens: 900 })).status).toBe(400);
    service.provider.behaveUsually(answerHello());
    expect((await ask(key, { max_tokens: 900 })).status).toBe(200);
  });

  test('release the in-flight slot of a client that disconnects', async () => {
    const key = await makeKey('single');
    const opening = sseEvent({ id: 'x', choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }] });
    service.provider.behave(streamRaw([opening], { end: 'hang' }));
    const leaving = new AbortController();
    const stream = await service.post(
      '/ai/openai/chat/completions',
      { model: MODEL, messages, stream: true },
      { headers: { authorization: `Bearer ${key}` }, signal: leaving.signal },
    );
    expect((await ask(key)).status).toBe(429);
    leaving.abort();
    await stream.text().catch(() => {});
    await expect.poll(async () => (await ask(key)).status).toBe(200);
  });
});

test('a revoked key stops working within a second', async () => {
  const person = await service.accounts.ensureTelegramUser(++users);
  const made = await service.apiKeys.create(person.id, 'short-lived');
  const key = made?.secret ?? '';
  expect((await ask(key)).status).toBe(200);
  const [own] = await service.apiKeys.list(person.id);
  expect(await service.apiKeys.revoke(person.id, own?.id ?? 0)).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect((await ask(key)).status).toBe(401);
});

test('a stream continues when its key is revoked in any process; the next request is refused in all processes', async () => {
  const other = await startHttpService({ database, plans: PLANS });
  const person = await service.accounts.ensureTelegramUser(++users);
  await service.accounts.setPlan(person.id, 'open');
  const made = await service.apiKeys.create(person.id, 'mid-stream');
  const headers = { authorization: `Bearer ${made?.secret}` };
  const gate = createGate();
  const streams = await Promise.all(
    [service, other].map((process) => {
      process.provider.behave(async ({ request, response }) => {
        const events = streamEventsOf(request);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(events[0]);
        await gate.passed;
        response.end(events.slice(1).join(''));
      });
      return process.post('/ai/openai/chat/completions', { model: MODEL, messages, stream: true }, { headers });
    }),
  );
  const [own] = await service.apiKeys.list(person.id);
  expect(await service.apiKeys.revoke(person.id, own?.id ?? 0)).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  for (const process of [service, other])
    expect((await process.post('/ai/v2', { model: MODEL, request: { messages } }, { headers })).status).toBe(401);
  gate.open();
  for (const stream of streams) expect(await stream.text()).toMatch(/\[DONE\]\n\n$/);
  await other.close();
});

test('the use of a key is recorded with its route and its network', async () => {
  const person = await service.accounts.ensureTelegramUser(++users);
  const made = await service.apiKeys.create(person.id, 'used');
  await ask(made?.secret ?? '');
  const lastUse = () => service.apiKeys.list(person.id).then(([key]) => key?.lastUse);
  await expect.poll(lastUse).toMatchObject({ route: '/ai/openai/chat/completions', network: '127.0.0.0/24' });
});

test('counting the tokens of a prompt counts as a request, without tokens', async () => {
  const count = (key: string) =>
    service.post(
      '/ai/anthropic/messages/count_tokens',
      { model: MODEL, messages },
      { headers: { authorization: `Bearer ${key}`, 'x-api-key': key } },
    );
  const ten = await makeKey('ten');
  const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await count(ten)).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(2);
  const thousand = await makeKey('thousand');
  for (let round = 0; round < 5; round += 1) expect((await count(thousand)).status).toBe(200);
  expect((await ask(thousand, { max_tokens: 900 })).status).toBe(200);
});
