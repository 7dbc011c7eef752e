import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerJson } from '../../support/fake-provider.ts';
import { MODEL, UPSTREAM_KEY } from '../../support/http-service.ts';
import { type ManagementService, startManagementService } from '../../support/management-service.ts';

let service: ManagementService;
beforeAll(async () => {
  service = await startManagementService();
});
afterAll(() => service.close());

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
  const totals = { files: 2, bytes: 13, shared_conversations: 0, uploading: 0, blocked: 0 };
  expect(await get('/api/files')).toEqual(totals);
  expect((await get('/api/files/users')).data).toEqual([{ user: id, files: 1, bytes: 12 }]);
});

test('the state of the service', async () => {
  expect(await get('/api/system')).toEqual({
    uptime_seconds: expect.any(Number),
    node: process.version,
    database: expect.stringMatching(/^\d+/),
    private: false,
    usage_rows_waiting: expect.any(Number),
  });
});
