import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../lib/clock.ts';

/** As nginx's `lingering_time`. */
const LINGER_MS = 30_000;

/**
 * Lets a client that is still sending see an answer that came early: what it sends is read and thrown away for a while, because
 * a connection closed under it is reset, and the answer is lost with it.
 */
export function lingerAfterAnswer(request: FastifyRequest, reply: FastifyReply, clock: Clock): void {
  reply.raw.once('finish', () => {
    const { socket } = request.raw;
    if (request.raw.complete || socket.destroyed) return;
    const cancelTimer = clock.setTimer(LINGER_MS, () => socket.destroy());
    request.raw.once('close', cancelTimer);
  });
}
