import { EventEmitter } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { releaseBuffer } from '../../../src/lib/files/release-buffer.ts';
import { createHttpAgent, type HttpResponse, openHttp } from '../../../src/lib/http/http-client.ts';

const TIMEOUTS = { connectMs: 30_000, startMs: 30_000, idleMs: 30_000, totalMs: 60_000 };

async function openExchange(server: Server): Promise<(tag?: string) => Promise<HttpResponse>> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const dispatcher = createHttpAgent({ connectMs: 30_000 });
  onTestFinished(async () => {
    await dispatcher.destroy();
    server.close();
  });
  return (tag = '') =>
    openHttp(
      { clock: systemClock, dispatcher },
      {
        method: 'GET',
        url: `http://127.0.0.1:${port}/`,
        headers: { 'x-tag': tag },
        timeouts: TIMEOUTS,
        signal: new AbortController().signal,
      },
    );
}

it('the reader may free chunks, also while the server pauses', async () => {
  const part = Buffer.alloc(200 * 1024, 'x');
  const parts = 5;
  const sendNext = new EventEmitter();
  const open = await openExchange(
    createServer((_request, response) => {
      response.writeHead(200, { 'content-length': parts * part.length });
      sendNext.on('part', () => response.write(part));
      response.flushHeaders();
    }),
  );
  const exchange = await open();
  for (let round = 0; round < parts; round++) {
    sendNext.emit('part');
    // All of these chunks have arrived, and the connection is paused.
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    for (let left = part.length; left > 0; ) {
      const piece = await exchange.read();
      expect(piece?.length).toBeGreaterThan(0);
      left -= piece?.length ?? 0;
      if (piece) releaseBuffer(piece);
    }
  }
  expect(await exchange.read()).toBeUndefined();
});

it('headers that arrive together with the end of the connection are a response', async () => {
  const open = await openExchange(
    createServer((_request, response) => {
      response.writeHead(503, { 'content-length': '100' });
      response.write('a part', () => response.destroy());
    }),
  );
  const exchange = await open();
  expect(exchange.status).toBe(503);
  await expect(exchange.readAll(1000)).rejects.toThrow();
});

it('many responses of one turn arrive complete, in order, and at the right request', async () => {
  const open = await openExchange(
    createServer((request, response) => {
      for (const word of toWords(String(request.headers['x-tag']))) response.write(word);
      response.end();
    }),
  );
  const toWords = (tag: string) => Array.from({ length: 20 }, (_, index) => `${tag}-${index};`);
  const tags = Array.from({ length: 50 }, (_, index) => `answer-${index}`);
  const texts = await Promise.all(
    tags.map(async (tag) => {
      const exchange = await open(tag);
      return (await exchange.readAll(10_000)).toString();
    }),
  );
  expect(texts).toEqual(tags.map((tag) => toWords(tag).join('')));
});
