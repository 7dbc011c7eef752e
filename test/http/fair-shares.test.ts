import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import { ensureUniversalKey } from '../../src/core/accounts/index.ts';
import { files } from '../../src/database/schema/index.ts';
import { connectRaw, type RawConnection, requestHead } from '../support/clients/http-raw.ts';
import {
  type HttpService,
  type HttpServiceOptions,
  MODEL,
  NO_KEY_FILE,
  startHttpService,
} from '../support/harness/http.ts';
import { hang } from '../support/hosts/fake-provider.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { heapBytes } from '../support/machine/measure.ts';
import { createTestDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll, testByTier } from '../support/vitest/tiers.ts';

const CHAT = '/ai/openai/chat/completions';
const ATTACKER = '127.0.0.2';
const OTHER = '127.0.0.3';
const NO_FILE = 'x'.repeat(22);
const chatBody = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hi' }] });
const nativeBody = JSON.stringify({ model: MODEL, request: { messages: [{ role: 'user', content: 'Hi' }] } });

let service: HttpService;
const closers: (() => unknown)[] = [];
const database = startBeforeAll(() => createTestDatabase());
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(options: HttpServiceOptions = {}): Promise<void> {
  service = await startHttpService({ database, ...options });
  closers.push(() => service.close());
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly code: string | undefined;
  readonly body: string;
}

/** Sends one request from an address of this machine, on its own connection. */
function ask(
  method: string,
  path: string,
  { from = OTHER, headers = {}, body = '' }: { from?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const target = { host: '127.0.0.1', port: service.port, localAddress: from, method, path, agent: false };
    const sent = httpRequest({ ...target, headers: { ...headers, 'content-length': Buffer.byteLength(body) } });
    sent.on('error', reject);
    sent.on('response', async (response) => {
      const text = (await response.toArray()).join('');
      const retryAfter = response.headers['retry-after'];
      resolve({ status: response.statusCode ?? 0, retryAfter, code: /"code":"(\w+)"/.exec(text)?.[1], body: text });
    });
    sent.end(body);
  });
}

/** Opens connections that each send `bytes` and then become silent. */
async function hold(count: number, bytes: string, from = ATTACKER): Promise<readonly RawConnection[]> {
  const connections = [];
  for (let at = 0; at < count; at++) {
    const connection = await connectRaw(service.port, from);
    closers.push(() => connection.socket.destroy());
    connection.send(bytes);
    connections.push(connection);
  }
  return connections;
}

const bearer = () => ({ authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' });
const FORM = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': '100000' };
const countRefused = (connections: readonly RawConnection[], status: number) =>
  connections.filter((connection) => connection.received().startsWith(`HTTP/1.1 ${status} `)).length;

describe('a thousand silent uploads of one client', () => {
  testByTier<[string, () => string]>([
    ['forms', () => requestHead('POST /upload', FORM)],
    ['bodies', () => requestHead('PUT /upload/a.txt', { 'content-length': '100000' })],
    ['chunked bodies', () => requestHead('PUT /upload/a.txt', { 'transfer-encoding': 'chunked' })],
    [
      'bodies that wait for 100-continue',
      () => requestHead('PUT /upload/a.txt', { 'content-length': '9', expect: '100-continue' }),
    ],
  ])('as %s leave files, pages and API to other clients, and downloads to the client itself', async ([_kind, head]) => {
    // On a busy machine they would take longer than the server waits for a silent client, and a minute has its own log line.
    await start({ clock: createFakeClock() });
    service.server.timeout = 0;
    const heapBefore = heapBytes();
    const connections = await hold(900, head());
    await expect.poll(() => countRefused(connections, 429)).toBeGreaterThanOrEqual(900 - 20);
    expect(heapBytes() - heapBefore).toBeLessThan(200 * 1024 * 1024);

    const uploaded = await ask('PUT', '/upload/note.txt', { body: 'twelve bytes' });
    expect(uploaded.status).toBe(200);
    const { id } = JSON.parse(uploaded.body);
    for (const from of [OTHER, ATTACKER]) {
      expect(await ask('GET', `/file/${id}`, { from })).toMatchObject({ status: 200, body: 'twelve bytes' });
      expect(await ask('GET', `/share/${NO_FILE}`, { from })).toMatchObject({ status: 404 });
    }
    expect(await ask('POST', CHAT, { headers: bearer(), body: chatBody })).toMatchObject({ status: 200 });
    expect(await ask('PUT', '/upload/a.txt', { from: ATTACKER, body: 'x' })).toMatchObject({
      status: 429,
      retryAfter: expect.stringMatching(/^\d+$/),
    });
    const [line, ...more] = service.logLines().filter(({ msg }) => String(msg).startsWith('requests refused'));
    expect(line).toMatchObject({ kind: 'upload', reason: 'share', network: '127.0.0.0/24' });
    expect(more).toEqual([]);
    expect(service.logLines().filter(({ status }) => status === 429).length).toBe(0);
  });
});

test('free their slots when the client disconnects, and leave no rows', async () => {
  await start({ inFlight: { upload: { maxOpen: 400, maxPerClient: 5, reservedForKeys: 80 } } });
  for (let round = 0; round < 10; round++) {
    const bytes = [
      requestHead('PUT /upload/a.txt', { 'content-length': '100000' }),
      `${requestHead('PUT /upload/a.txt', { 'transfer-encoding': 'chunked' })}5\r\nhello\r\n`,
      `${requestHead('POST /upload', FORM)}--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhello`,
    ];
    const connections = await Promise.all(bytes.map((each) => hold(1, each)));
    if (round % 2 === 0) await sleep(20);
    for (const [connection] of connections) connection?.socket.destroy();
  }
  await expect.poll(async () => (await ask('PUT', '/upload/b', { from: ATTACKER, body: 'x' })).status).toBe(200);
  await expect.poll(() => database.db.$count(files, eq(files.state, 'uploading'))).toBe(0);
});

describe('requests with one key', () => {
  test.each([
    ['on the fast path', CHAT, chatBody, {}],
    ['outside the fast path', CHAT, chatBody, { 'transfer-encoding': 'chunked' }],
    ['of the native API', '/ai/v2', nativeBody, {}],
  ])('%s leave half of all slots to others', async (_title, path, body, more) => {
    await start({ inFlight: { generation: { maxOpen: 20, maxPerClient: 20 } } });
    service.provider.behave(...Array.from({ length: 10 }, () => hang()));
    const isChunked = 'transfer-encoding' in more;
    const head = requestHead(`POST ${path}`, {
      ...bearer(),
      ...(isChunked ? more : { 'content-length': String(body.length) }),
    });
    const bytes = head + (isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body);
    // They come from several networks, so that they share only the key.
    const connections = (
      await Promise.all(['127.0.1.1', '127.0.1.2', '127.0.1.3'].map((from) => hold(5, bytes, from)))
    ).flat();
    await expect.poll(() => countRefused(connections, 429)).toBe(5);
    expect(connections.map((connection) => connection.received()).join('')).toMatch(/"code":"too_many_requests"/);
    expect(await ask('POST', CHAT, { headers: bearer(), body: chatBody })).toMatchObject({
      status: 429,
      retryAfter: '1',
    });

    const otherKey = 'sk-sb-another-key-of-the-tests';
    await ensureUniversalKey(database.db, otherKey, NO_KEY_FILE);
    const headers = { ...bearer(), authorization: `Bearer ${otherKey}` };
    expect(await ask('POST', CHAT, { headers, body: chatBody })).toMatchObject({ status: 200 });
  });
});

test('leave slots for uploads with a key while many clients upload without one', async () => {
  await start({ inFlight: { upload: { maxOpen: 10, maxPerClient: 2, reservedForKeys: 2 } } });
  for (let at = 0; at < 10; at++)
    await hold(1, requestHead('PUT /upload/a.txt', { 'content-length': '9' }), `127.0.2.${at + 1}`);
  await expect.poll(async () => (await ask('PUT', '/upload/a', { body: 'x' })).status).toBe(503);
  expect(await ask('PUT', '/upload/a', { body: 'x', headers: { authorization: 'Bearer wrong' } })).toMatchObject({
    status: 401,
  });
  const headers = { authorization: `Bearer ${service.apiKey}` };
  expect(await ask('PUT', '/upload/a', { body: 'x', headers })).toMatchObject({ status: 200 });
});

test('count by the address that a trusted proxy names, IPv6 clients by their networks', async () => {
  await start({ trustedProxies: ['127.0.0.0/8'], inFlight: { upload: { maxOpen: 400, maxPerClient: 2 } } });
  const head = (client: string) =>
    requestHead('PUT /upload/a.txt', { 'content-length': '9', 'x-forwarded-for': client });
  const put = (client: string) => ask('PUT', '/upload/a', { headers: { 'x-forwarded-for': client }, body: 'x' });
  await hold(1, head('2001:db8:0:1::1'));
  await hold(1, head('2001:db8:0:1::2'));
  await expect.poll(async () => (await put('2001:db8:0:1::3')).status).toBe(429);
  expect((await put('2001:db8:0:2::1')).status).toBe(200);
  // Eight from the /48 are the share of four clients.
  for (let at = 2; at < 8; at++) await hold(1, head(`2001:db8:0:${at}::1`));
  await expect.poll(async () => (await put('2001:db8:0:99::1')).status).toBe(429);
  expect((await put('2001:db8:1::1')).status).toBe(200);
  expect((await put('192.0.2.1')).status).toBe(200);
});

describe('connections', () => {
  test.each([
    ['nothing', ''],
    ['incomplete headers', 'GET /healthz HTTP/1.1\r\nhost: x\r\n'],
    ['a whole request', requestHead('GET /healthz')],
  ])('of one client that send %s leave room for others', async (_what, bytes) => {
    await start();
    const connections = await hold(1020, bytes);
    await expect.poll(() => countRefused(connections, 429)).toBe(20);
    expect(connections.at(-1)?.received()).toMatch(/\r\nretry-after: \d+\r\n[\s\S]*"code":"too_many_connections"/i);
    expect((await ask('GET', '/healthz')).status).toBe(200);
    connections[0]?.socket.destroy();
    await expect.poll(async () => (await ask('GET', '/healthz', { from: ATTACKER })).status).toBe(200);
  });

  test('of a trusted proxy are not counted as one client', async () => {
    await start({ trustedProxies: [ATTACKER] });
    const connections = await hold(1020, requestHead('GET /healthz'));
    await expect.poll(() => countRefused(connections, 200)).toBe(1020);
  });

  test('that are idle are closed when there are too many', async () => {
    await start();
    service.server.maxConnections = 20;
    const kept = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        const [connection] = await hold(1, requestHead('GET /healthz'), `127.0.3.${at + 1}`);
        await connection?.receive((text) => text.includes('"ok"'));
        return connection;
      }),
    );
    for (let at = 0; at < 6; at++) await hold(1, '', `127.0.3.${at + 100}`);
    await Promise.all(kept.map((connection) => connection?.ended()));
  });

  test('of clients that do not complete their headers are closed in time, however slowly bytes arrive', async () => {
    await start();
    service.server.headersTimeout = 300;
    const [silent] = await hold(1, '');
    const [slow] = await hold(1, 'GET /healthz HTTP/1.1\r\nhost: x\r\n');
    const timer = setInterval(() => slow?.send('x'), 50);
    closers.push(() => clearInterval(timer));
    await Promise.all([silent?.ended(), slow?.ended()]);
    expect(slow?.received()).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('of clients that do not read their answers are closed in time', async () => {
    await start();
    service.server.timeout = 1000;
    const connection = await connectRaw(service.port, ATTACKER);
    closers.push(() => connection.socket.destroy());
    connection.socket.pause();
    // More than the buffers of both sides hold.
    connection.send(requestHead('GET /docs/swagger-ui-bundle.js').repeat(20));
    await expect.poll(() => service.logLines().some(({ isBrokenOff }) => isBrokenOff === true)).toBe(true);
  });

  test('that wait for a slow answer stay open', async () => {
    await start();
    service.server.timeout = 300;
    service.provider.behave(hang());
    const bytes = requestHead(`POST ${CHAT}`, { ...bearer(), 'content-length': String(chatBody.length) }) + chatBody;
    const [connection] = await hold(1, bytes);
    await service.provider.chatRequest(0);
    await sleep(1500);
    expect(connection?.socket.closed).toBe(false);
  });
});

test('count each pipelined request, and release all of them when they close', async () => {
  await start({ inFlight: { generation: { maxOpen: 10, maxPerClient: 10 } } });
  service.provider.behave(...Array.from({ length: 5 }, () => hang()));
  const bytes = requestHead(`POST ${CHAT}`, { ...bearer(), 'content-length': String(chatBody.length) }) + chatBody;
  const [connection] = await hold(1, bytes.repeat(30));
  await service.provider.chatRequest(4);
  expect((await ask('GET', '/ai/openai/models', { from: ATTACKER, headers: bearer() })).status).toBe(429);
  connection?.socket.destroy();
  await expect
    .poll(async () => (await ask('GET', '/ai/openai/models', { from: ATTACKER, headers: bearer() })).status)
    .toBe(200);
});
