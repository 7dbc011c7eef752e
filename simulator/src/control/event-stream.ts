import type { FastifyReply } from 'fastify';
import type { ControlEvent } from '../control-protocol.ts';
import type { World } from '../world/world.ts';

const HEARTBEAT_MS = 15_000;
/** Maximum unsent bytes. A slower client is disconnected; it reconnects and catches up. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/**
 * Streams server-sent events until the client disconnects or the simulator closes: first those after `after` (or a
 * `reset` if they are no longer kept), then new ones. Without `after`, only new ones.
 */
export function streamEvents(world: World, reply: FastifyReply, after: number | undefined): void {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  const send = (event: ControlEvent) => {
    if (raw.writableLength > MAX_UNREAD_BYTES) raw.destroy();
    else raw.write(`id: ${event.sequence}\ndata: ${JSON.stringify(event)}\n\n`);
  };

  raw.write('retry: 1000\n\n');
  const missed = after === undefined ? [] : world.events.listAfter(after);
  for (const event of missed ?? [{ sequence: world.events.cursor, type: 'reset' as const }]) send(event);
  const unsubscribe = world.events.subscribe(send);

  let cancelHeartbeat = () => {};
  const scheduleHeartbeat = () => {
    cancelHeartbeat = world.clock.setTimer(HEARTBEAT_MS, () => {
      raw.write(': alive\n\n');
      scheduleHeartbeat();
    });
  };
  scheduleHeartbeat();

  const end = () => {
    raw.end();
  };
  world.closing.addEventListener('abort', end, { once: true });
  raw.once('close', () => {
    cancelHeartbeat();
    unsubscribe();
    world.closing.removeEventListener('abort', end);
  });
}
