import { once } from 'node:events';
import { connect } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EventStream, startEventStream } from '../../../../src/http/api/streams/event-stream.ts';
import { systemClock } from '../../../../src/lib/clock.ts';

let server: FastifyInstance;
let send: (events: EventStream) => unknown;
beforeAll(async () => {
  server = fastify();
  server.get('/', (_request, reply) => {
    send(startEventStream(reply, systemClock));
  });
  await server.listen({ port: 0 });
});
afterAll(() => server.close());

/** Returns the chunks of the transfer coding, each of which is one write of the server. */
async function readChunks(sending: (events: EventStream) => unknown): Promise<readonly string[]> {
  send = sending;
  const socket = connect(Number(new URL(server.listeningOrigin).port), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  let text = '';
  socket.setEncoding('utf8').on('data', (bytes) => {
    text += bytes;
  });
  await once(socket, 'close');
  return [...text.slice(text.indexOf('\r\n\r\n') + 4).matchAll(/([\da-f]+)\r\n([^\r]*)\r\n/g)]
    .map(([, , chunk = '']) => chunk)
    .filter((chunk) => chunk !== '');
}

it('sends the first event at once, the others of a turn of the event loop together, and those of the next by themselves', async () => {
  const chunks = await readChunks(async (events) => {
    events.write('one ');
    events.write('two ');
    await Promise.resolve();
    events.write('three ');
    setImmediate(() => {
      events.write('four ');
      setImmediate(() => events.end('five'));
    });
  });
  expect(chunks).toEqual(['one ', 'two three ', 'four ', 'five']);
});

it('sends what waits before the end of the response', async () => {
  const chunks = await readChunks((events) => {
    events.write('one ');
    events.end('two');
  });
  expect(chunks.join('')).toBe('one two');
});

it('makes the writer wait as soon as the client does not read, however much is written in one turn', async () => {
  const part = 'x'.repeat(17_000);
  let writtenCount = 0;
  const chunks = await readChunks(async (events) => {
    let wait: Promise<void> | undefined;
    for (; !wait && writtenCount < 1000; writtenCount += 1) wait = events.write(part);
    await wait;
    events.end();
  });
  expect(writtenCount).toBeLessThan(10);
  expect(chunks.join('')).toHaveLength(writtenCount * part.length);
});
