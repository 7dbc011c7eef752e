import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type CapturedAnswer, captureAnswer } from '../../../../src/http/api/requests/capture-answer.ts';
import { HeldBytes } from '../../../../src/lib/http/held-bytes.ts';

const MIB = 1024 * 1024;
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Sends a request to a server that answers with `respond`. Returns its response and what was captured. */
async function capture(
  respond: (response: ServerResponse) => void,
  { heldBytes = new HeldBytes(), wait = Promise.resolve() } = {},
) {
  const { promise: captured, resolve } = Promise.withResolvers<CapturedAnswer | undefined>();
  const server = createServer((_request, response) => {
    const hold = heldBytes.open();
    response.once('close', () => hold.release());
    captureAnswer(response, hold, (answer) => {
      resolve(answer);
      return wait;
    });
    respond(response);
  }).listen(0, '127.0.0.1');
  closers.push(() => server.close());
  await once(server, 'listening');
  const leaving = new AbortController();
  const response = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { signal: leaving.signal });
  response.catch(() => {});
  return { response, captured, leave: () => leaving.abort() };
}

const textOf = (answer: CapturedAnswer | undefined) => Buffer.concat([...(answer?.body ?? [])]).toString();

test('captures status, headers of the answer and every byte, and sends them unchanged', async () => {
  const { response, captured } = await capture((raw) => {
    raw.setHeader('x-request-id', 'req_1');
    raw.writeHead(201, { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '3' });
    raw.write('héllo ');
    raw.write(Buffer.from('wor'));
    raw.write('6c64', 'hex');
    raw.end(new Uint8Array([33]));
  });
  const answer = await captured;
  expect(answer).toMatchObject({ status: 201, sizeBytes: 13 });
  expect(answer?.headers).toEqual({ 'content-type': 'text/plain; charset=utf-8', 'retry-after': '3' });
  expect(textOf(answer)).toBe('héllo world!');
  expect(await (await response).text()).toBe('héllo world!');
});

test('lets the end of the response wait', async () => {
  const gate = Promise.withResolvers<void>();
  let isRead = false;
  const { response, captured } = await capture((raw) => raw.end('hello'), { wait: gate.promise });
  const reading = response
    .then((one) => one.text())
    .finally(() => {
      isRead = true;
    });
  await captured;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(isRead).toBe(false);
  gate.resolve();
  expect(await reading).toBe('hello');
});

test('captures nothing of a response that closes before its end', async () => {
  const { response, captured, leave } = await capture((raw) => void raw.write('half'));
  await response;
  leave();
  expect(await captured).toBeUndefined();
});

test('gives up above the size of one answer; the client gets it nonetheless', async () => {
  const { response, captured } = await capture((raw) => {
    raw.write('x'.repeat(17 * MIB));
    raw.end('x'.repeat(17 * MIB));
  });
  expect(await captured).toBeUndefined();
  expect(await (await response).text()).toHaveLength(34 * MIB);
});

test('gives up when no more may be held, until others are discarded', async () => {
  const heldBytes = new HeldBytes(150);
  const send = async () => {
    const { response, captured } = await capture((raw) => raw.end('x'.repeat(80)), { heldBytes });
    expect(await (await response).text()).toHaveLength(80);
    return captured;
  };
  const first = await send();
  expect(first?.sizeBytes).toBe(80);
  expect(await send()).toBeUndefined();
  first?.discard();
  expect(heldBytes.totalBytes).toBe(0);
  expect((await send())?.sizeBytes).toBe(80);
});
