import { fastify } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { sendStoredAnswer } from '../../../../src/http/api/requests/install-idempotency.ts';
import { systemClock } from '../../../../src/lib/clock.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Sends a stored answer of these parts; `sizeBytes` is its size when it was found. */
async function send(sizeBytes: number, parts: () => AsyncGenerator<Buffer>, status = 200): Promise<Response> {
  const server = fastify();
  closers.push(() => server.close());
  server.get('/', async (_request, reply) => {
    const head = { status, headers: { 'content-type': 'text/plain' }, sizeBytes };
    await sendStoredAnswer(reply, head, parts(), systemClock);
    return reply;
  });
  return fetch(await server.listen());
}

test('sends status, headers and body', async () => {
  const response = await send(
    10,
    async function* () {
      yield Buffer.from('hello');
      yield Buffer.from('world');
    },
    203,
  );
  expect(response.status).toBe(203);
  expect(response.headers.get('content-type')).toBe('text/plain');
  expect(response.headers.get('idempotent-replayed')).toBe('true');
  expect(await response.text()).toBe('helloworld');
});

test('sends an answer without a body', async () => {
  const response = await send(0, async function* () {}, 204);
  expect([response.status, await response.text()]).toEqual([204, '']);
});

test('an answer that cannot be read is an error of its own', async () => {
  const response = await send(5, async function* () {
    yield* [];
    throw new Error('the database is away');
  });
  expect(response.status).toBe(500);
});

test.each([
  ['fails', true],
  ['ends early', false],
])('closes the connection if the answer %s in the middle', async (_way, fails) => {
  const sent = send(10, async function* () {
    yield Buffer.from('hello');
    if (fails) throw new Error('the database is away');
  });
  await expect(sent.then((response) => response.text())).rejects.toThrow();
});
