import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { usage } from '../../src/database/schema/index.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { answerHello, answerJson, hang, openAiError, sseEvent, streamRaw } from '../support/hosts/fake-provider.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

let database: TestDatabase;
let service: HttpService;
beforeAll(async () => {
  database = await createTestDatabase();
  const plenty = { requestsPerMinute: 100_000, tokensPerDay: 10_000_000 };
  service = await startHttpService({ database, plans: { universal: { key: plenty, address: plenty } } });
});
beforeEach(async () => {
  await service.writtenDown();
  await database.db.delete(usage);
});
afterAll(async () => {
  await service.close();
  await database.close();
});

const ask = (stream: boolean, signal?: AbortSignal) =>
  service.post(
    '/ai/openai/chat/completions',
    { model: MODEL, messages: [{ role: 'user', content: 'How are you today?' }], stream },
    signal ? { signal } : {},
  );
/** Returns the usage ledger when it has the expected number of rows and all recorded usage is written. */
const rows = async (count: number) => {
  await expect.poll(() => database.db.$count(usage)).toBeGreaterThanOrEqual(count);
  await service.writtenDown();
  return database.db.select().from(usage);
};
const delta = (content: string) =>
  sseEvent({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: null }] });

test('a completed answer is recorded once, with the usage that the provider reports', async () => {
  await (await ask(false)).text();
  await (await ask(true)).text();
  const counts = { promptTokens: 5, completionTokens: 4, finishReason: 'stop', isEstimated: false };
  expect(await rows(2)).toMatchObject([counts, counts]);
});

test('a stream that its client aborts is recorded once, with the delivered tokens', async () => {
  service.provider.behave(streamRaw([delta('one'), delta('two'), delta('three')], { end: 'hang' }));
  const leaving = new AbortController();
  const response = await ask(true, leaving.signal);
  let text = '';
  for await (const piece of response.body ?? []) {
    text += new TextDecoder().decode(piece as Uint8Array);
    if (text.includes('three')) break;
  }
  leaving.abort();
  const [row, ...others] = await rows(1);
  expect(others).toEqual([]);
  // The provider has not failed.
  expect(row).toMatchObject({ completionTokens: 3, finishReason: 'stopped', isEstimated: true });
  expect(row?.promptTokens).toBeGreaterThan(2);
});

test('a stream that breaks is recorded once, with the delivered tokens', async () => {
  service.provider.behave(streamRaw([delta('one'), delta('two')], { end: 'cut' }));
  expect(await (await ask(true)).text()).toContain('error');
  expect(await rows(1)).toMatchObject([{ completionTokens: 2, finishReason: null, isEstimated: true }]);
});

test('a request without an answer is not recorded', async () => {
  service.provider.behave(answerJson(400, openAiError('no')), answerJson(500, openAiError('no')), hang());
  expect((await ask(false)).status).toBe(400);
  expect((await ask(true)).status).toBe(502);
  const leaving = new AbortController();
  const number = service.provider.chatRequests.length;
  const answer = ask(true, leaving.signal).catch(() => 'left');
  const upstream = await service.provider.chatRequest(number);
  leaving.abort();
  expect(await answer).toBe('left');
  await upstream.closed;
  expect(await rows(0)).toEqual([]);
});

test('each of many concurrent requests is recorded once', async () => {
  service.provider.behaveUsually(answerHello());
  const answers = Array.from({ length: 300 }, async (_, at) => (await ask(at % 2 === 0)).text());
  await Promise.all(answers);
  expect(await rows(300)).toHaveLength(300);
});
