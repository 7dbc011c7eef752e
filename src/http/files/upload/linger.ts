import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../lib/clock.ts';

/** Same as nginx's `lingering_time`. */
const LINGER_MS = 30_000;

/**
 * Discards the rest of the body for some time after an early response. Closing the connection while the client still
 * sends would reset it, and the response would be lost.
 */
export function lingerAfterAnswer(request: FastifyRequest, reply: FastifyReply, clock: Clock): void {
  reply.raw.once('finish', () => {
    const { socket } = request.raw;
    if (request.raw.complete || socket.destroyed) return;
    const cancelTimer = clock.setTimer(LINGER_MS, () => socket.destroy());
    request.raw.once('close', cancelTimer);
  });
}
