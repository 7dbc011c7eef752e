import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { answerHello } from '../support/hosts/fake-provider.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

/** Allows one request a minute for each address: a second answer proves a second address. */
const plans = { universal: { address: { requestsPerMinute: 1 } } };
const ONE_UPLOAD = { maxBytesPerDay: 10 };

let database: TestDatabase;
let open: HttpService;
/** Behind a load balancer in 10.0.0.0/8 and a proxy on this machine, played by the tests. */
let behind: HttpService;
beforeAll(async () => {
  database = await createTestDatabase();
  open = await startHttpService({ database, plans, storageOptions: ONE_UPLOAD });
  const trustedProxies = ['127.0.0.0/8', '::1', '10.0.0.0/8', '2001:db8:ffff::/48'];
  behind = await startHttpService({ database, plans, storageOptions: ONE_UPLOAD, trustedProxies });
  for (const { provider } of [open, behind]) provider.behaveUsually(answerHello());
});
afterAll(async () => {
  await open.close();
  await behind.close();
  await database.close();
});

const ask = async (service: HttpService, forwardedFor: string) => {
  const body = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] };
  const answer = await service.post('/ai/openai/chat/completions', body, {
    headers: { 'x-forwarded-for': forwardedFor },
  });
  await answer.arrayBuffer();
  return answer.status;
};

test('ignores the address that a client claims when no proxy is trusted', async () => {
  expect(await ask(open, '203.0.113.1')).toBe(200);
  for (const said of ['203.0.113.2', '198.51.100.1, 203.0.113.3', '127.0.0.1', '::1', 'unknown'])
    expect(await ask(open, said)).toBe(429);
});

test('tells clients of a trusted proxy apart by their addresses', async () => {
  expect(await ask(behind, '203.0.113.10')).toBe(200);
  expect(await ask(behind, '203.0.113.11')).toBe(200);
  expect(await ask(behind, '203.0.113.10')).toBe(429);
});

test('uses the last address that is no trusted proxy, whatever the client sent before it', async () => {
  expect(await ask(behind, '203.0.113.20')).toBe(200);
  for (const said of [
    '198.51.100.7, 203.0.113.20',
    '127.0.0.1, 203.0.113.20',
    '10.0.0.1,203.0.113.20, 10.1.2.3',
    'nonsense, 203.0.113.20, 10.1.2.3, 2001:db8:ffff::7, ::ffff:10.9.9.9',
    '198.51.100.8,, ,203.0.113.20',
  ])
    expect(await ask(behind, said), said).toBe(429);
});

test.each([
  ['an IPv4 address mapped to IPv6', '203.0.113.30', '::ffff:203.0.113.30'],
  ['an address with a port', '203.0.113.31', '203.0.113.31:50123'],
  ['an address in brackets with a port', '2001:db8:1:2::1', '[2001:db8:1:2::1]:443'],
  ['another address of the same IPv6 network', '2001:db8:1:3::1', '2001:db8:1:3:aaaa::5'],
])('%s is the same client', async (_, one, other) => {
  expect(await ask(behind, one)).toBe(200);
  expect(await ask(behind, other)).toBe(429);
});

test('uses the address of the proxy when proxies name none, whatever else the header contains', async () => {
  expect(await ask(behind, 'unknown')).toBe(429);
  expect(await ask(behind, '_hidden')).toBe(429);
  expect(await ask(behind, '999.1.1.1')).toBe(429);
});

test('reads a header that is sent twice as one list', async () => {
  const key = `Bearer ${behind.apiKey}`;
  const socket = connect(behind.port, '127.0.0.1');
  const body = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hi' }] });
  const statuses: string[] = [];
  socket.on('data', (piece) => statuses.push(...(String(piece).match(/^HTTP\/1\.1 \d+/gm) ?? [])));
  for (const first of ['198.51.100.40', '198.51.100.41']) {
    const before = statuses.length;
    socket.write(
      `POST /ai/openai/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: ${key}\r\nx-forwarded-for: ${first}\r\nx-forwarded-for: 203.0.113.40\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await expect.poll(() => statuses.length).toBeGreaterThan(before);
  }
  socket.destroy();
  expect(statuses).toEqual(['HTTP/1.1 200', 'HTTP/1.1 429']);
});

test('applies quotas of uploads without a key to the same address', async () => {
  const upload = (service: HttpService, forwardedFor: string) =>
    fetch(`${service.url}/upload/a.txt`, {
      method: 'PUT',
      body: 'ten  bytes',
      headers: { 'x-forwarded-for': forwardedFor },
    }).then(({ status }) => status);
  expect(await upload(behind, '203.0.113.50')).toBe(200);
  expect(await upload(behind, '203.0.113.51')).toBe(200);
  expect(await upload(behind, '198.51.100.1, 203.0.113.50')).toBe(429);
  expect(await upload(open, '203.0.113.52')).toBe(200);
  expect(await upload(open, '203.0.113.53')).toBe(429);
});
