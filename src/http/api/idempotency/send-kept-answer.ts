import type { FastifyReply } from 'fastify';
import type { AnswerHead } from '../../../core/idempotency/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { awaitDrain } from '../../await-drain.ts';
import { ClientGoneError } from '../../in-flight-requests.ts';

/**
 * Sends the stored answer to an earlier request, as fast as the client reads.
 * @throws the error of `body`. If it occurs after the first part, the connection is closed.
 */
export async function sendKeptAnswer(
  reply: FastifyReply,
  { status, headers, sizeBytes }: AnswerHead,
  body: AsyncIterable<Buffer>,
  clock: Clock,
): Promise<void> {
  const response = reply.raw;
  const begin = () => reply.hijack().raw.writeHead(status, { ...headers, 'idempotent-replayed': 'true' });
  let sentBytes = 0;
  try {
    for await (const part of body) {
      if (response.destroyed) return;
      if (sentBytes === 0) begin();
      sentBytes += part.length;
      if (!response.write(part)) await awaitDrain(response, clock);
    }
    if (sentBytes === 0) begin();
    // The user's data may have been deleted meanwhile.
    if (sentBytes === sizeBytes) response.end();
    else response.destroy();
  } catch (error) {
    if (response.headersSent) response.destroy();
    if (!(error instanceof ClientGoneError)) throw error;
  }
}
