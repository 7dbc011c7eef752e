import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { idempotentRequests } from '../../../src/database/schema/index.ts';
import type { ServiceState } from '../../../src/http/management/service/service-state.ts';
import { MODEL, UPSTREAM_KEY } from '../../support/harness/http.ts';
import { startManagementService } from '../../support/harness/http-users.ts';
import { answerJson } from '../../support/hosts/fake-provider.ts';
import { startBeforeAll } from '../../support/vitest/tiers.ts';

let state: ServiceState = { version: '0', database: 'embedded', disk: undefined, bot: undefined };
const service = startBeforeAll(() => startManagementService({ readState: async () => state }));

const get = async (path: string) => {
  const { status, body } = await service.manage('GET', path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};
const chat = () =>
  service.post('/ai/openai/chat/completions', { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] });

test('providers are shown with their circuit breakers and latency, without keys and addresses', async () => {
  expect((await chat()).status).toBe(200);
  await service.writtenDown();
  service.provider.behave(answerJson(401, { error: { message: `wrong key ${UPSTREAM_KEY}` } }));
  expect((await chat()).status).toBe(502);
  const body = await get('/api/providers');
  expect(body.data).toEqual([
    {
      name: 'fake',
      models: 2,
      list: { source: 'host', fetched_at: expect.any(String), error: null },
      circuits: [{ model: null, state: 'open', failures: 1, open_until: expect.any(String) }],
      median_ms: expect.any(Number),
    },
  ]);
  const text = JSON.stringify(body);
  expect(text).not.toContain(UPSTREAM_KEY);
  expect(text).not.toContain('127.0.0.1');
});

test('models have the prices of each provider, and null if they are unknown', async () => {
  const whole = await get('/api/models');
  const priced = whole.data.find(({ id }: { id: string }) => id === MODEL);
  expect(priced).toMatchObject({
    type: 'chat',
    targets: [{ provider: 'fake', model: MODEL, price: { input: 0.15, output: 0.6, cached_input: null } }],
  });
  expect(priced.targets[0].price_source).toEqual({ kind: 'provider', date: null });
  const unknown = await get('/api/models?priced=false');
  expect(unknown.data.map(({ id }: { id: string }) => id)).toEqual(['vendor/deep/model:free']);
  expect(unknown.data[0].targets[0]).toMatchObject({ price: null, price_source: null });
  expect((await get('/api/models?provider=other')).data).toEqual([]);
  expect((await get('/api/models?search=DEEP%2F')).data).toEqual(unknown.data);
  const ofType = async (type: string) => (await get(`/api/models?type=${type}`)).data;
  expect(await ofType('chat')).toEqual(whole.data.filter(({ type }: { type: string }) => type === 'chat'));
  expect(await ofType('moderation')).toEqual([]);
  const first = await get('/api/models?limit=1');
  const second = await get(`/api/models?limit=1&cursor=${first.next_cursor}`);
  expect([...first.data, ...second.data]).toEqual(whole.data);
});

test('files are counted, in total and by user', async () => {
  const { id } = await service.accounts.ensureTelegramUser(100);
  const key = await service.apiKeys.create(id, 'mine');
  const headers = { authorization: `Bearer ${key?.secret}` };
  await fetch(`${service.url}/upload/a.txt`, { method: 'PUT', body: 'twelve bytes', headers });
  await fetch(`${service.url}/upload/b.txt`, { method: 'PUT', body: 'x' });
  const totals = { files: 2, bytes: 13, shared_conversations: 0, uploading: 0, blocked: 0, bytes_to_move: 0 };
  expect(await get('/api/files')).toEqual(totals);
  expect((await get('/api/files/users')).data).toEqual([{ user: id, files: 1, bytes: 12 }]);
});

test('the state of the service', async () => {
  const running = { state: 'running' as const, userId: service.adminId, bodyHash: '0' };
  const [now, minute] = [Date.now(), 60_000];
  await service.database.db.insert(idempotentRequests).values([
    { ...running, id: randomUUID(), keyHash: '1', expiresAt: new Date(now + minute) },
    // Its process has died.
    { ...running, id: randomUUID(), keyHash: '2', expiresAt: new Date(now - minute) },
    { ...running, id: randomUUID(), keyHash: '3', expiresAt: new Date(now + minute), state: 'complete', status: 200 },
  ]);
  state = {
    version: '1.2.3',
    database: 'server',
    disk: { freeBytes: 10, totalBytes: 20 },
    bot: { updates: 3, chatQueues: 2, busyChats: 1, jobs: { answer: 2, image: 0 }, telegramCalls: 4 },
  };
  const count = expect.any(Number);
  const queues = { updates: 3, chat_queues: 2, busy_chats: 1, jobs: { answer: 2, image: 0 }, telegram_calls: 4 };
  const whole = {
    version: '1.2.3',
    node: process.version,
    uptime_seconds: count,
    database: { kind: 'server', version: expect.stringMatching(/^\d+/) },
    private: false,
    memory: { resident_bytes: count, heap_bytes: count },
    disk: { free_bytes: 10, total_bytes: 20 },
    queues: { ...queues, durable_jobs: { response: 0 }, idempotent_requests: 1, usage_rows: count },
  };
  expect(await get('/api/system')).toEqual(whole);
  state = { ...state, disk: undefined, bot: undefined };
  const unknown = { updates: null, chat_queues: null, busy_chats: null, jobs: null, telegram_calls: null };
  expect(await get('/api/system')).toMatchObject({ disk: null, queues: unknown });
});
