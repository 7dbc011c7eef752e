import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Plans } from '../../src/core/limits/index.ts';
import { limitCounters, limitReservations, usage } from '../../src/database/schema/index.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import {
  answerHello,
  answerJson,
  type Behaviour,
  completionOf,
  die,
  sseEvent,
  streamRaw,
} from '../support/hosts/fake-provider.ts';
import { createScriptedImages, drawNearest } from '../support/hosts/scripted-images.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const messages = [{ role: 'user' as const, content: 'Hi' }];
const CHAT = '/ai/openai/chat/completions';
const RERANK = '/ai/openai/rerank';
const RANKED = { model: 'ranker', query: 'Where do foxes live?', documents: ['In dens.', 'In Paris.'] };
const PLANS: Plans = {
  free: {},
  dollar: { user: { usdTotal: 1 } },
  tight: { user: { usdTotal: 0.001 } },
  keys: { user: { usdTotal: 1 }, key: { usdPerDay: 0.000_001 } },
};

const painter = createScriptedImages('painter', [{ id: 'brush', type: 'image', price: { image: 0.004 } }]);

let database: TestDatabase;
let service: HttpService;
let users = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startHttpService({
    database,
    plans: PLANS,
    budget: { usdPerMonth: 1000 },
    otherModels: [
      { id: 'embedder', type: 'embedding', price: { input: 100 } },
      { id: 'judge', type: 'moderation', price: { input: 100 } },
      { id: 'voice', type: 'speech', price: { characters: 15 } },
      { id: 'ranker', type: 'rerank', price: { input: 100, request: 0.002 } },
    ],
    imageProviders: [painter.provider],
  });
});
beforeEach(() => service.provider.behaveUsually(answerHello()));
afterAll(async () => {
  await service.close();
  await database.close();
});

async function makeUser(plan: string, rules: Parameters<HttpService['apiKeys']['create']>[2] = {}) {
  const { id: userId } = await service.accounts.ensureTelegramUser(++users);
  await service.accounts.setPlan(userId, plan);
  const made = await service.apiKeys.create(userId, 'test', rules);
  return { userId, key: made?.secret ?? '' };
}

const post = (key: string, path: string, body: object, signal?: AbortSignal) =>
  service.post(path, body, {
    headers: { authorization: `Bearer ${key}`, 'x-api-key': key },
    ...(signal ? { signal } : {}),
  });
const ask = (key: string, body: object = {}, signal?: AbortSignal) =>
  post(key, CHAT, { model: MODEL, messages, ...body }, signal);
const answerUsage =
  (given: object): Behaviour =>
  (exchange) =>
    answerJson(200, { ...completionOf(exchange.request), usage: given })(exchange);
const rowsOf = (userId: number) => database.db.select().from(usage).where(eq(usage.userId, userId));
const heldBy = async (userId: number) =>
  (
    await database.db
      .select()
      .from(limitReservations)
      .where(eq(limitReservations.scope, `user:${userId}`))
  ).length;
const spentBy = async (userId: number) => {
  const [counter] = await database.db
    .select()
    .from(limitCounters)
    .where(eq(limitCounters.scope, `user:${userId}`));
  return counter?.totalUsd;
};

describe('a host that reports wrong usage', () => {
  test.each<readonly [string, object]>([
    ['negative counts', { prompt_tokens: -5, completion_tokens: -5 }],
    ['huge counts', { prompt_tokens: 1e308, completion_tokens: 1e308 }],
    ['texts', { prompt_tokens: '12', completion_tokens: '1e9' }],
    ['nothing', {}],
    ['lists', { prompt_tokens: [1], completion_tokens: { a: 1 } }],
    ['a huge cost', { prompt_tokens: 1, completion_tokens: 2, cost: 1e308, cost_details: {} }],
    ['a negative cost', { prompt_tokens: 1, completion_tokens: 2, cost: -1, cost_details: {} }],
  ])('with %s costs the list price of what was sent', async (_, given) => {
    const { userId, key } = await makeUser('dollar');
    service.provider.behaveUsually(answerUsage(given));
    expect((await ask(key, { max_tokens: 100 })).status).toBe(200);
    await service.writtenDown();
    const [row] = await rowsOf(userId);
    expect(row?.costUsd).toBeGreaterThan(0);
    expect(row?.costUsd).toBeLessThan(0.0001);
    expect(await spentBy(userId)).toBe(row?.costUsd);
  });
});

describe('a client that leaves a stream', () => {
  test.each([
    ['whose events have many tokens', { messages }, 400 * 0.6],
    [
      'about an image',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] },
        ],
      },
      400 * 0.6 + 1000 * 0.15,
    ],
  ])('%s pays for what it got', async (_, body, least) => {
    const { userId, key } = await makeUser('dollar');
    const text = 'word '.repeat(320);
    const delta = sseEvent({ id: 'c', model: 'm', choices: [{ index: 0, delta: { content: text } }] });
    service.provider.behaveUsually(streamRaw([delta], { end: 'hang' }));
    const leaving = new AbortController();
    const stream = await ask(key, { ...body, stream: true }, leaving.signal);
    await stream.body?.getReader().read();
    leaving.abort();
    await expect.poll(async () => (await rowsOf(userId)).length).toBe(1);
    const [row] = await rowsOf(userId);
    expect((row?.costUsd ?? 0) * 1e6).toBeGreaterThanOrEqual(least);
    expect(row).toMatchObject({ isEstimated: true, finishReason: 'stopped' });
    expect(await spentBy(userId)).toBe(row?.costUsd);
  });
});

describe('fields that hosts understand', () => {
  const OTHER_MODELS = [
    { models: ['o1-pro'] },
    { fallbacks: [{ model: 'o1-pro' }] },
    { preset: 'dear' },
    { providerOptions: { gateway: { models: ['o1-pro'] } } },
  ];
  const DEARER = [{ service_tier: 'priority' }, { speed: 'fast' }];

  test.each([...OTHER_MODELS, ...DEARER])('%j is refused under a budget: its price is not known', async (fields) => {
    const answer = await ask((await makeUser('dollar')).key, fields);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: { code: 'model_price_unknown' } });
  });

  test.each(OTHER_MODELS)('%j is refused for keys with allowed models', async (fields) => {
    const { key } = await makeUser('free', { allowedModels: [MODEL] });
    for (const [path, body] of [
      [CHAT, { model: MODEL, messages }],
      ['/ai/openai/responses', { model: MODEL, input: 'Hi' }],
      ['/ai/openai/completions', { model: MODEL, prompt: 'Hi' }],
      ['/ai/anthropic/messages', { model: MODEL, messages, max_tokens: 10 }],
    ] as const) {
      const answer = await post(key, path, { ...body, ...fields });
      expect(answer.status, path).toBe(403);
      expect(await answer.text(), path).toMatch(Object.keys(fields)[0] ?? '');
    }
    expect((await ask(key, { models: null, fallbacks: [] })).status).toBe(200);
  });

  test('count as a part of the prompt', async () => {
    const { key } = await makeUser('tight');
    const description = 'a'.repeat(8000);
    const functions = [{ name: 'f', description, parameters: { type: 'object' } }];
    expect((await ask(key, { max_tokens: 100 })).status).toBe(200);
    expect((await ask(key, { max_tokens: 100, functions })).status).toBe(429);
  });
});

describe('a request', () => {
  test.each([
    { max_tokens: 1e308 },
    { max_tokens: -1 },
    { max_tokens: 0.5 },
    { max_tokens: '10' },
    { max_completion_tokens: -1 },
    { n: 1000 },
    { n: -1 },
    { n: 1e308 },
  ])('with %j is refused and reserves nothing', async (fields) => {
    const { userId, key } = await makeUser('dollar');
    const answer = await ask(key, fields);
    expect([400, 429]).toContain(answer.status);
    await service.writtenDown();
    expect((await spentBy(userId)) ?? 0).toBe(0);
    expect(await heldBy(userId)).toBe(0);
  });

  test('with a maximum of 0 costs no more than it may', async () => {
    const { userId, key } = await makeUser('dollar');
    await (await ask(key, { max_tokens: 0 })).text();
    await service.writtenDown();
    expect((await spentBy(userId)) ?? 0).toBeLessThan(0.001);
    expect(await heldBy(userId)).toBe(0);
  });

  test('that is repeated with its idempotency key costs once', async () => {
    const { userId, key } = await makeUser('dollar');
    const repeat = () =>
      service.post(
        CHAT,
        { model: MODEL, messages },
        { headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'one' } },
      );
    const answers = [await repeat(), await repeat(), await repeat()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await service.writtenDown();
    expect(await rowsOf(userId)).toHaveLength(1);
    expect(await spentBy(userId)).toBe((await rowsOf(userId))[0]?.costUsd);
  });

  test.each<readonly [string, Behaviour]>([
    ['breaks off before the answer', die()],
    ['answers with nonsense', answerJson(200, { choices: 5 })],
    ['refuses', answerJson(400, { error: { message: 'no' } })],
    [
      'breaks off within the stream',
      streamRaw([sseEvent({ id: 'c', choices: [{ index: 0, delta: { content: 'Hi' } }] })], { end: 'cut' }),
    ],
  ])('whose host %s releases what it reserved', async (_, behaviour) => {
    const { userId, key } = await makeUser('dollar');
    service.provider.behaveUsually(behaviour);
    await (await ask(key, { stream: true })).text().catch(() => '');
    await service.writtenDown();
    await expect.poll(() => heldBy(userId)).toBe(0);
    const costs = (await rowsOf(userId)).map(({ costUsd }) => costUsd ?? 0);
    expect((await spentBy(userId)) ?? 0).toBe(costs[0] ?? 0);
  });

  test('in the background costs once, as the ledger has it', async () => {
    const { userId, key } = await makeUser('dollar');
    const answer = await post(key, '/ai/openai/responses', { model: MODEL, input: 'Hi', background: true });
    expect(answer.status).toBe(200);
    await expect.poll(async () => (await rowsOf(userId)).length).toBe(1);
    await service.writtenDown();
    expect(await spentBy(userId)).toBe((await rowsOf(userId))[0]?.costUsd);
    expect(await heldBy(userId)).toBe(0);
  });
});

describe('a client that leaves before the answer', () => {
  const USAGE = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
  const COST = (1000 * 0.15 + 500 * 0.6) / 1e6;
  const chunk = (fields: object) => sseEvent({ id: 'c', model: 'm', ...fields });
  const FIRST = chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] });
  const LAST = [
    chunk({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }),
    chunk({ choices: [], usage: USAGE }),
    'data: [DONE]\n\n',
  ];

  /** Sends the beginning of a stream, if any, and the rest when `released` resolves. */
  const answerLate =
    (released: Promise<unknown>, begins: boolean): Behaviour =>
    async (exchange) => {
      const { request, response } = exchange;
      if (request.body['stream'] !== true) {
        await released;
        return answerUsage(USAGE)(exchange);
      }
      if (begins) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(FIRST);
      await released;
      if (!begins) response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(LAST.join(''));
    };

  test.each([
    ['whole', { stream: false }, false],
    ['streamed', { stream: true }, false],
    ['streamed, and begun without a word', { stream: true }, true],
  ])('pays what the host reports later: %s', async (_, body, begins) => {
    const { userId, key } = await makeUser('dollar');
    const released = Promise.withResolvers<void>();
    const count = service.provider.chatRequests.length;
    service.provider.behaveUsually(answerLate(released.promise, begins));
    const leaving = new AbortController();
    const asked = ask(key, body, leaving.signal);
    const left = (async () => (await asked).text())().catch(() => 'left');
    await service.provider.chatRequest(count);
    if (begins) await asked;
    leaving.abort();
    expect(await left).toBe('left');
    expect(await rowsOf(userId)).toEqual([]);
    expect(await heldBy(userId)).toBe(1);
    released.resolve();
    await expect.poll(() => heldBy(userId)).toBe(0);
    expect(await rowsOf(userId)).toMatchObject([
      { promptTokens: 1000, completionTokens: 500, isEstimated: false, costUsd: COST },
    ]);
    expect(await spentBy(userId)).toBe(COST);
  });

  test('pays for all of thirty requests, those that are not awaited too', async () => {
    const { userId, key } = await makeUser('dollar');
    const released = Promise.withResolvers<void>();
    service.provider.behaveUsually(answerLate(released.promise, false));
    const leaving = new AbortController();
    const asked = Array.from({ length: 30 }, (_, index) =>
      ask(key, { stream: index % 2 === 0, max_tokens: 1000 }, leaving.signal).catch(() => undefined),
    );
    await expect.poll(() => heldBy(userId)).toBe(30);
    leaving.abort();
    await Promise.all(asked);
    released.resolve();
    await expect.poll(() => heldBy(userId)).toBe(0);
    const costs = (await rowsOf(userId)).map(({ costUsd }) => costUsd ?? 0);
    expect(costs).toHaveLength(30);
    expect(Math.min(...costs)).toBeGreaterThanOrEqual(COST);
  });

  test.each<readonly [string, object]>([
    ['/ai/openai/embeddings', { model: 'embedder', input: 'Hi' }],
    ['/ai/openai/audio/speech', { model: 'voice', input: 'Hello there' }],
    ['/ai/openai/moderations', { model: 'judge', input: 'Hi' }],
    [RERANK, RANKED],
  ])('pays what was reserved: %s', async (path, body) => {
    const { userId, key } = await makeUser('dollar');
    const arrived = Promise.withResolvers<void>();
    service.provider.behaveElsewhere(({ wait }) => {
      arrived.resolve();
      return wait(60_000);
    });
    const leaving = new AbortController();
    const asked = post(key, path, body, leaving.signal).catch(() => undefined);
    await arrived.promise;
    leaving.abort();
    await asked;
    await expect.poll(() => heldBy(userId)).toBe(0);
    const [row] = await rowsOf(userId);
    expect(row?.costUsd).toBeGreaterThan(0);
    expect(row).toMatchObject({ finishReason: 'stopped', isEstimated: true });
    expect(await spentBy(userId)).toBe(row?.costUsd);
  });
});

describe('a reranking', () => {
  const rank = (key: string, fields: object = {}) => post(key, RERANK, { ...RANKED, ...fields });
  const results = [{ index: 0, relevance_score: 0.9 }];

  test.each<readonly [string, object]>([
    ['negative counts', { usage: { total_tokens: -5 }, meta: { billed_units: { search_units: -1 } } }],
    ['huge counts', { usage: { total_tokens: 1e308 }, meta: { billed_units: { search_units: 1e308 } } }],
    ['texts', { usage: { total_tokens: '12' }, meta: { billed_units: { search_units: '9' } } }],
    ['lists', { usage: [1], meta: [{ billed_units: 9 }] }],
    ['nothing', { usage: {}, meta: { tokens: {}, billed_units: {} } }],
    ['a huge cost', { usage: { total_tokens: 12, cost: 1e308 } }],
  ])('whose host reports %s costs the list price of what was sent', async (_, given) => {
    const { userId, key } = await makeUser('dollar');
    service.provider.behaveElsewhere(answerJson(200, { results, ...given }));
    expect((await rank(key)).status).toBe(200);
    await service.writtenDown();
    const [row] = await rowsOf(userId);
    // One search, and at most as many tokens as bytes were sent.
    expect(row?.costUsd).toBeGreaterThan(0.002);
    expect(row?.costUsd).toBeLessThan(0.02);
    expect(await spentBy(userId)).toBe(row?.costUsd);
    expect(await heldBy(userId)).toBe(0);
  });

  test.each<readonly [string, Behaviour]>([
    ['breaks off', die()],
    ['answers with nonsense', answerJson(200, { results: 5 })],
    ['refuses', answerJson(400, { error: { message: 'no' } })],
  ])('whose host %s releases what it reserved', async (_, behaviour) => {
    const { userId, key } = await makeUser('dollar');
    service.provider.behaveElsewhere(behaviour);
    expect((await rank(key)).status).toBeGreaterThanOrEqual(400);
    await service.writtenDown();
    expect(await heldBy(userId)).toBe(0);
    const costs = (await rowsOf(userId)).map(({ costUsd }) => costUsd ?? 0);
    expect((await spentBy(userId)) ?? 0).toBe(costs[0] ?? 0);
  });

  test.each([
    { documents: Array.from({ length: 5000 }, () => 'In dens.') },
    { query: 'Where? '.repeat(2000) },
    { documents: [{ text: 'a', deep: { more: 'b'.repeat(20_000) } }] },
  ])('is refused by a small budget for all that its host reads', async (fields) => {
    const { userId, key } = await makeUser('tight');
    const count = service.provider.requests.length;
    expect((await rank(key, fields)).status).toBe(429);
    expect(service.provider.requests).toHaveLength(count);
    expect(await heldBy(userId)).toBe(0);
  });
});

describe('images that are drawn but not delivered', () => {
  const draw = (key: string, n: number, signal?: AbortSignal) =>
    post(key, '/ai/openai/images/generations', { model: 'brush', prompt: 'a cat', n }, signal);

  test('cost what their host charges if the client leaves', async () => {
    const { userId, key } = await makeUser('dollar');
    const second = Promise.withResolvers<void>();
    const untilAborted = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    painter.scripts.push(drawNearest(), (_request, signal) => {
      second.resolve();
      return untilAborted(signal);
    });
    const leaving = new AbortController();
    const asked = draw(key, 2, leaving.signal).catch(() => undefined);
    await second.promise;
    leaving.abort();
    await asked;
    await expect.poll(() => rowsOf(userId)).toMatchObject([{ costUsd: 0.004, imageCount: 0, finishReason: 'stopped' }]);
    expect(await spentBy(userId)).toBe(0.004);
    expect(await heldBy(userId)).toBe(0);
  });

  test('cost what their host charges if they are unreadable', async () => {
    const { userId, key } = await makeUser('dollar');
    painter.scripts.push(() => [{ bytes: Buffer.from('no image'), width: 1000, height: 700, format: 'png' }]);
    expect((await draw(key, 1)).status).toBeGreaterThanOrEqual(500);
    await expect.poll(() => rowsOf(userId)).toMatchObject([{ costUsd: 0.004, imageCount: 0, finishReason: null }]);
    expect(await heldBy(userId)).toBe(0);
  });
});

test('if one of several budgets refuses, nothing is reserved in the others', async () => {
  const { userId, key } = await makeUser('keys');
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(key, { max_tokens: 100 })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
  const held = await database.db.select().from(limitReservations);
  expect(held.filter(({ scope }) => [`user:${userId}`, 'instance'].includes(scope))).toEqual([]);
});
