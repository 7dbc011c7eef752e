import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { createHttpAgent, openHttp } from '../../../src/lib/http-client.ts';
import { releaseLargeBody } from '../../../src/lib/large-body.ts';

const PATIENCE = { connectMs: 10_000, startMs: 30_000, idleMs: 30_000, totalMs: 30_000 };
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const BODY_BYTES = 16 * 1024 * 1024;

/** A host that takes one connection, as the test likes. */
async function startHost(onConnection: (socket: Socket) => void) {
  const server = createServer(onConnection);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const agent = createHttpAgent({ connectMs: PATIENCE.connectMs });
  onTestFinished(async () => {
    await agent.destroy();
    server.close();
  });
  const send = (body: Buffer) =>
    openHttp(
      { clock: systemClock, dispatcher: agent },
      {
        method: 'POST',
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
        headers: {},
        body,
        timeouts: PATIENCE,
        signal: new AbortController().signal,
      },
    );
  return { send };
}

it('the memory of a body is free as soon as it has left', async () => {
  const { send } = await startHost((socket) => {
    let received = 0;
    socket.on('data', (piece) => {
      received += piece.length;
      if (received > BODY_BYTES) socket.write(ANSWER);
    });
  });
  const body = Buffer.alloc(BODY_BYTES, 'x');
  const http = await send(body);
  expect((await http.readAll(100)).toString()).toBe('ok');
  http.close();
  await expect
    .poll(() => {
      releaseLargeBody(body);
      return body.length;
    })
    .toBe(0);
});

it('a body that the system is still sending is left alone, whatever the host has answered', async () => {
  const received: Buffer[] = [];
  const connected = Promise.withResolvers<Socket>();
  const { send } = await startHost((socket) => {
    socket.on('error', () => {});
    socket.once('data', (piece) => {
      received.push(piece);
      socket.pause();
      socket.write(ANSWER);
      connected.resolve(socket);
    });
  });
  const body = Buffer.alloc(BODY_BYTES, 'x');
  const http = await send(body);
  await http.readAll(100);
  releaseLargeBody(body);
  expect(body).toHaveLength(BODY_BYTES);
  http.close();
  const socket = await connected.promise;
  const isOver = new Promise((resolve) => socket.once('close', resolve));
  socket.on('data', (piece) => received.push(piece));
  socket.resume();
  await isOver;
  const text = Buffer.concat(received).toString('latin1');
  expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toMatch(/^x*$/);
});
