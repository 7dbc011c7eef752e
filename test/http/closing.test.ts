import { afterEach, expect, test } from 'vitest';
import { connectRaw, requestHead } from '../support/clients/http-raw.ts';
import { type HttpService, type HttpServiceOptions, MODEL, startHttpService } from '../support/harness/http.ts';
import { hang, sseEvent, streamRaw } from '../support/hosts/fake-provider.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';
import { createTestDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const PATH = '/ai/openai/chat/completions';
const messages = [{ role: 'user', content: 'Hi' }];
const delta = sseEvent({ id: 'x', choices: [{ index: 0, delta: { content: 'one' }, finish_reason: null }] });

const last = sseEvent({ id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });

let service: HttpService;
let clock: FakeClock;
const database = startBeforeAll(() => createTestDatabase());
afterEach(() => service.close());

async function start(options: HttpServiceOptions = {}) {
  clock = createFakeClock();
  service = await startHttpService({ clock, database, ...options });
}

/** A later answer proves that the earlier bytes have been read. */
async function passByTheServer() {
  await fetch(`${service.url}/healthz`, { headers: { connection: 'close' } });
}

function request(stream: boolean) {
  const body = JSON.stringify({ model: MODEL, messages, stream });
  const headers = {
    authorization: `Bearer ${service.apiKey}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  };
  return `${requestHead(`POST ${PATH}`, headers)}${body}`;
}

test('shutdown lets streams end, refuses new requests on open connections, and does not wait for idle clients', async () => {
  await start();
  let finish = () => {};
  service.provider.behave(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(delta);
    finish = () => void response.end(`${last}data: [DONE]\n\n`);
  });
  const idle = await connectRaw(service.port);
  idle.send(requestHead('GET /healthz'));
  await idle.receive((text) => text.includes('"ok"'));
  const busy = await connectRaw(service.port);
  busy.send(request(true));
  await busy.receive((text) => text.includes('one'));
  const half = await connectRaw(service.port);
  const late = request(false);
  half.send(late.slice(0, 20));
  await passByTheServer();

  let isStopped = false;
  const stopped = service.stop().then(() => {
    isStopped = true;
  });
  await idle.ended();
  half.send(late.slice(20));
  const refusal = await half.ended();
  expect(refusal).toMatch(/^HTTP\/1\.1 503 /);
  expect(refusal).toMatch(/\r\nretry-after: \d+\r\n/i);
  expect(refusal).toMatch(/\r\nconnection: close\r\n/i);
  expect(refusal).toContain('"code":"unavailable"');
  await expect(connectRaw(service.port)).rejects.toThrow('ECONNREFUSED');
  expect(isStopped).toBe(false);

  finish();
  await stopped;
  expect(await busy.ended()).toContain('data: [DONE]\n\n');
});

test('a request that does not end in time is aborted with an error, and the provider call is aborted', async () => {
  await start({ closeTimeoutMs: 5000 });
  service.provider.behave(streamRaw([delta], { end: 'hang' }), hang());
  const streaming = await connectRaw(service.port);
  streaming.send(request(true));
  await streaming.receive((text) => text.includes('one'));
  const waiting = await connectRaw(service.port);
  waiting.send(request(false));
  const upstreams = [await service.provider.chatRequest(0), await service.provider.chatRequest(1)];

  const stopped = service.stop();
  await clock.advance(4999);
  expect(streaming.received()).not.toContain('error');
  await clock.advance(1);
  const text = await streaming.ended();
  expect(text).toContain('"code":"unavailable"');
  expect(text).not.toContain('[DONE]');
  expect(await waiting.ended()).toMatch(/^HTTP\/1\.1 503 /);
  await Promise.all(upstreams.map((upstream) => upstream.closed));
  await stopped;
  expect(clock.pending).toBe(0);
});

test('a connection that never sends a request does not delay the shutdown', async () => {
  await start({ closeTimeoutMs: 5000 });
  const half = await connectRaw(service.port);
  half.send('POST /ai/v2 HTTP/1.1\r\nhost: x\r\n');
  await passByTheServer();
  const stopped = service.stop();
  await clock.advance(6000);
  await half.ended();
  await stopped;
});

test('more requests than the limit are a 503 with a retry time', async () => {
  await start({ inFlight: { generation: { maxOpen: 1, maxPerClient: 1 } } });
  service.provider.behave(hang());
  const leaving = new AbortController();
  const open = service.post(PATH, { model: MODEL, messages }, { signal: leaving.signal }).catch(() => undefined);
  await service.provider.chatRequest(0);
  const refused = await service.post(PATH, { model: MODEL, messages });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toMatchObject({ error: { code: 'unavailable' } });
  expect((await service.get('/healthz')).status).toBe(200);

  leaving.abort();
  await open;
  await expect.poll(async () => (await service.post(PATH, { model: MODEL, messages })).status).toBe(200);
});

test('connections beyond the limit are closed, and the others continue', async () => {
  await start({ trustedProxies: ['127.0.0.1'] });
  service.server.maxConnections = 2;
  const [first, second, third] = [
    await connectRaw(service.port),
    await connectRaw(service.port),
    await connectRaw(service.port),
  ];
  third?.send(requestHead('GET /healthz'));
  expect(await third?.ended()).toBe('');
  for (const connection of [first, second]) {
    connection?.send(requestHead('GET /healthz', { connection: 'close' }));
    expect(await connection?.ended()).toContain('"ok"');
  }
});
