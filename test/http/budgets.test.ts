import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Plans } from '../../src/core/limits/index.ts';
import { limitCounters, usage } from '../../src/database/schema/index.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { answerHello, answerJson, type Behaviour, completionOf } from '../support/hosts/fake-provider.ts';
import { createScriptedImages } from '../support/hosts/scripted-images.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const UNPRICED = 'vendor/deep/model:free';
const PAINTER = 'brush';
const messages = [{ role: 'user' as const, content: 'Hi' }];
const PLANS: Plans = {
  free: {},
  cent: { user: { usdPerMonth: 0.01 } },
  key: { key: { usdPerDay: 0.01 } },
  total: { user: { usdTotal: 0.01 } },
  nothing: { user: { usdPerMonth: 0 } },
  tight: { user: { usdTotal: 0.001 } },
  lenient: { user: { usdPerMonth: 1 }, allowsUnpricedModels: true },
};

let database: TestDatabase;
let service: HttpService;
let users = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startHttpService({
    database,
    plans: PLANS,
    otherModels: [
      { id: 'embedder', type: 'embedding', price: { input: 100 } },
      { id: 'flat', type: 'embedding', price: { input: 0, request: 0.02 } },
    ],
    imageProviders: [
      createScriptedImages('painter', [{ id: PAINTER, type: 'image', price: { image: 0.004 } }]).provider,
      createScriptedImages('sketcher', [{ id: 'pencil', type: 'image' }]).provider,
    ],
  });
});
beforeEach(() => service.provider.behaveUsually(answerHello()));
afterAll(async () => {
  await service.close();
  await database.close();
});

async function makeUser(plan: string) {
  const { id: userId } = await service.accounts.ensureTelegramUser(++users);
  await service.accounts.setPlan(userId, plan);
  const made = await service.apiKeys.create(userId, 'test');
  return { userId, key: made?.secret ?? '' };
}

const post = (key: string, path: string, body: object) =>
  service.post(path, body, { headers: { authorization: `Bearer ${key}`, 'x-api-key': key } });
const ask = (key: string, body: object = {}) =>
  post(key, '/ai/openai/chat/completions', { model: MODEL, messages, ...body });
/** Answers as if these tokens had been used. */
const answerUsage =
  (prompt_tokens: number, completion_tokens: number): Behaviour =>
  (exchange) =>
    answerJson(200, { ...completionOf(exchange.request), usage: { prompt_tokens, completion_tokens } })(exchange);
const sentBody = () => service.provider.requests.at(-1)?.body as { [field: string]: unknown };

describe('a budget that is used up', () => {
  const CHAT = { model: MODEL, messages, max_tokens: 100 };
  const REQUESTS = [
    ['chat completions', '/ai/openai/chat/completions', CHAT],
    ['a stream', '/ai/openai/chat/completions', { ...CHAT, stream: true }],
    ['completions', '/ai/openai/completions', { model: MODEL, prompt: 'Hi' }],
    ['responses', '/ai/openai/responses', { model: MODEL, input: 'Hi' }],
    ['messages', '/ai/anthropic/messages', CHAT],
    ['images', '/ai/openai/images/generations', { model: PAINTER, prompt: 'a cat' }],
  ] as const;

  test.each(REQUESTS)('refuses %s with insufficient_quota', async (_, path, body) => {
    const { key } = await makeUser('nothing');
    const answer = await post(key, path, body);
    expect(answer.status).toBe(429);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    const text = await answer.text();
    expect(text).toContain('insufficient_quota');
    expect(text).toMatch(
      /The monthly budget of \$0\.00 for you and all your keys does not cover this request: \$0\.00 is spent\. It resets at \d{4}-\d\d-01T00:00:00Z\./,
    );
  });

  test.each([
    ['cent', 'The monthly budget of $0.01 for you and all your keys', /It resets at \d{4}-\d\d-01T00:00:00Z/],
    ['key', 'The daily budget of $0.01 for this API key', /It resets at \d{4}-\d\d-\d\dT00:00:00Z/],
    ['total', 'The total budget of $0.01 for you and all your keys', /It does not reset/],
  ])('of the plan %s says what, how much is spent, and until when', async (plan, what, until) => {
    const { key } = await makeUser(plan);
    service.provider.behaveUsually(answerUsage(0, 16_000));
    expect((await ask(key, { max_tokens: 16_000 })).status).toBe(200);
    await service.writtenDown();
    const refusal = await ask(key, { max_tokens: 1000 });
    expect(refusal.status).toBe(429);
    const { error } = (await refusal.json()) as { error: { message: string; code: string } };
    expect(error.message).toContain(what);
    expect(error.message).toContain('$0.0096 is spent');
    expect(error.message).toMatch(until);
    const hasRetryAfter = plan === 'key';
    expect(refusal.headers.has('retry-after')).toBe(hasRetryAfter);
  });
});

describe('the cost of a request', () => {
  test('is in the ledger and in the counter, to the billionth of a dollar', async () => {
    const { userId, key } = await makeUser('cent');
    for (const tokens of [1, 7, 1234]) {
      service.provider.behaveUsually(answerUsage(tokens, 2 * tokens));
      await (await ask(key, { max_tokens: 2500 })).text();
      await service.writtenDown();
    }
    const [counter] = await database.db
      .select()
      .from(limitCounters)
      .where(eq(limitCounters.scope, `user:${userId}`));
    const expected = Math.round(1242 * (150 + 2 * 600)) / 1e9;
    expect(counter).toMatchObject({ dayUsd: expected, monthUsd: expected, totalUsd: expected });
    const rows = await database.db.select().from(usage).where(eq(usage.userId, userId));
    expect(rows).toHaveLength(3);
    expect(rows.reduce((sum, { costUsd }) => sum + Math.round((costUsd ?? 0) * 1e9), 0)).toBe(
      Math.round(expected * 1e9),
    );
  });

  test('of images is that of each image', async () => {
    const { userId, key } = await makeUser('cent');
    const draw = (n: number) => post(key, '/ai/openai/images/generations', { model: PAINTER, prompt: 'a cat', n });
    expect((await draw(3)).status).toBe(429);
    expect((await draw(2)).status).toBe(200);
    await service.writtenDown();
    expect((await draw(1)).status).toBe(429);
    const rows = await database.db.select().from(usage).where(eq(usage.userId, userId));
    expect(rows).toMatchObject([{ costUsd: 0.008, imageCount: 2 }]);
  });
});

describe('an answer', () => {
  test('without a maximum gets the context length of the model as one', async () => {
    const { key } = await makeUser('lenient');
    await (await ask(key)).text();
    expect(sentBody()).toMatchObject({ max_tokens: 8192 });
  });

  test.each([
    ['no maximum', {}],
    ['a larger maximum', { max_tokens: 5000 }],
    ['a larger maximum under its newer name', { max_completion_tokens: 5000 }],
  ])('with %s is shortened to what the budget pays for', async (_, body) => {
    const { key } = await makeUser('tight');
    const answer = await ask(key, body);
    expect(answer.status).toBe(200);
    const sent = sentBody();
    const most = Number(sent['max_completion_tokens'] ?? sent['max_tokens']);
    expect(most).toBeGreaterThanOrEqual(1024);
    expect(most * 0.6 + 2 * 0.15).toBeLessThanOrEqual(1000);
    expect('max_tokens' in sent && 'max_completion_tokens' in sent).toBe(false);
  });

  test('keeps a maximum that the budget covers, and all of it without a budget', async () => {
    await (await ask((await makeUser('tight')).key, { max_tokens: 50 })).text();
    expect(sentBody()).toMatchObject({ max_tokens: 50 });
    await (await ask((await makeUser('free')).key)).text();
    expect(sentBody()).not.toHaveProperty('max_tokens');
  });
});

describe('a model without a known price', () => {
  test('is refused under a budget, by name', async () => {
    for (const model of [UNPRICED, 'pencil']) {
      const { key } = await makeUser('cent');
      const path = model === UNPRICED ? '/ai/openai/chat/completions' : '/ai/openai/images/generations';
      const answer = await post(key, path, { model, messages, prompt: 'a cat' });
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ error: { code: 'model_price_unknown', param: 'model' } });
    }
  });

  test('is answered without a budget, or if the plan allows it', async () => {
    for (const plan of ['free', 'lenient'])
      expect((await ask((await makeUser(plan)).key, { model: UNPRICED })).status).toBe(200);
  });
});

test('headers have the remaining dollars', async () => {
  const { key } = await makeUser('cent');
  const answer = await ask(key, { max_tokens: 1000 });
  const remaining = Number(answer.headers.get('x-ratelimit-remaining-dollars'));
  expect(answer.headers.get('x-ratelimit-limit-dollars')).toBe('0.01');
  expect(remaining).toBeGreaterThan(0.009);
  expect(remaining).toBeLessThan(0.0094);
  expect(answer.headers.get('x-ratelimit-reset-dollars')).toMatch(/^\d+h\d+m/);
  const total = await ask((await makeUser('total')).key, { max_tokens: 10 });
  expect(total.headers.has('x-ratelimit-reset-dollars')).toBe(false);
});

test('the budget of the instance applies to all and keeps its amounts to itself', async () => {
  const other = await startHttpService({ database, plans: {}, budget: { usdTotal: 0 } });
  try {
    const answer = await other.post('/ai/openai/chat/completions', { model: MODEL, messages });
    expect(answer.status).toBe(429);
    expect(answer.headers.has('x-ratelimit-limit-dollars')).toBe(false);
    const { error } = (await answer.json()) as { error: { message: string } };
    expect(error.message).toBe('The total budget for this service does not cover this request. It does not reset.');
  } finally {
    await other.close();
  }
});

test('an embedding costs its prompt', async () => {
  const { key } = await makeUser('cent');
  const embed = (input: string) => post(key, '/ai/openai/embeddings', { model: 'embedder', input });
  service.provider.behaveElsewhere(
    answerJson(200, { data: [{ index: 0, embedding: [0.5] }], usage: { prompt_tokens: 60, total_tokens: 60 } }),
  );
  expect((await embed('a'.repeat(100))).status).toBe(429);
  expect((await embed('a'.repeat(80))).status).toBe(200);
  await service.writtenDown();
  expect((await embed('a'.repeat(40))).status).toBe(429);
});

test('an embedding costs its price per request', async () => {
  const { key } = await makeUser('cent');
  expect((await post(key, '/ai/openai/embeddings', { model: 'flat', input: 'a' })).status).toBe(429);
});
