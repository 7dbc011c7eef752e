import type { OutgoingHttpHeaders } from 'node:http';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../../lib/clock.ts';
import { awaitDrain } from '../server/connections/await-drain.ts';
import { ClientGoneError } from '../server/connections/in-flight-requests.ts';

/**
 * Answers with a file in chunks, as fast as the client reads. The first chunk is awaited before the status is sent, so
 * that its errors are answered. A later error closes the connection, which clients see as an incomplete answer.
 */
export async function sendText(
  reply: FastifyReply,
  headers: OutgoingHttpHeaders,
  chunks: AsyncGenerator<string, void>,
  clock: Clock,
): Promise<void> {
  let chunk = await chunks.next();
  const response = reply.hijack().raw;
  response.writeHead(200, headers);
  try {
    for (; !chunk.done; chunk = await chunks.next()) {
      if (response.destroyed) return;
      if (!response.write(chunk.value)) await awaitDrain(response, clock);
      // A client that reads at once never makes the response wait.
      await yieldToEventLoop();
    }
    response.end();
  } catch (error) {
    if (error instanceof ClientGoneError) return;
    reply.log.warn({ err: error }, 'a file was not completed');
    response.destroy();
  }
}
