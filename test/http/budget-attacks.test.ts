import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Plans } from '../../src/core/limits/index.ts';
import { limitCounters, limitReservations, usage } from '../../src/database/schema/index.ts';
import {
  answerHello,
  answerJson,
  type Behaviour,
  completionOf,
  sseEvent,
  streamRaw,
} from '../support/fake-provider.ts';
import { type HttpService, MODEL, startHttpService } from '../support/http-service.ts';
import { createEmbeddedTestDatabase, type TestDatabase } from '../support/test-database.ts';

const messages = [{ role: 'user' as const, content: 'Hi' }];
const CHAT = '/ai/openai/chat/completions';
const PLANS: Plans = {
  free: {},
  dollar: { person: { usdTotal: 1 } },
  tight: { person: { usdTotal: 0.001 } },
  keys: { person: { usdTotal: 1 }, key: { usdPerDay: 0.000_001 } },
};

let database: TestDatabase;
let service: HttpService;
let users = 0;
beforeAll(async () => {
  database = await createEmbeddedTestDatabase();
  service = await startHttpService({ database, plans: PLANS, budget: { usdPerMonth: 1000 } });
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
const spentBy = async (userId: number) => {
  const [counter] = await database.db
    .select()
    .from(limitCounters)
    .where(eq(limitCounters.scope, `person:${userId}`));
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

test('if one of several budgets refuses, nothing is reserved in the others', async () => {
  const { userId, key } = await makeUser('keys');
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(key, { max_tokens: 100 })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
  const held = await database.db.select().from(limitReservations);
  expect(held.filter(({ scope }) => [`person:${userId}`, 'instance'].includes(scope))).toEqual([]);
});
