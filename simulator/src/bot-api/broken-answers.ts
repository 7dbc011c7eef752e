import type { FastifyReply } from 'fastify';
import type { World } from '../world/world.ts';

/** Resets the connection instead of answering. */
export function resetConnection(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.socket?.resetAndDestroy();
  return reply;
}

/** Sends no response: the socket stays open until the simulator closes. */
export function staySilent(world: World, reply: FastifyReply): FastifyReply {
  reply.hijack();
  const destroy = () => {
    reply.raw.destroy();
  };
  if (world.closing.aborted) destroy();
  world.closing.addEventListener('abort', destroy, { once: true });
  reply.raw.once('close', () => world.closing.removeEventListener('abort', destroy));
  return reply;
}
