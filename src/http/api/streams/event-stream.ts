import type { FastifyReply } from 'fastify';
import type { Clock } from '../../../lib/clock.ts';
import { awaitDrain } from '../../server/connections/await-drain.ts';
import { ClientGoneError } from '../../server/connections/in-flight-requests.ts';

/** A response of server-sent events. */
export type EventStream = ReturnType<typeof startEventStream>;

/** Text that is written at once, instead of at the end of the turn of the event loop, in characters. */
const MAX_WAITING = 16 * 1024;

/**
 * Sends the headers and starts the stream. Later failures can only be reported within the stream. Events that are
 * written in one turn of the event loop are sent together, because each write to a socket costs more than an event.
 */
export function startEventStream(reply: FastifyReply, clock: Clock) {
  let writtenAt = clock.now();
  let waiting = '';
  let hasBegun = false;
  const response = reply.hijack().raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    // Prevents buffering by nginx and similar proxies.
    'x-accel-buffering': 'no',
  });
  const flush = () => {
    if (waiting === '' || response.destroyed) return;
    const text = waiting;
    waiting = '';
    hasBegun = true;
    writtenAt = clock.now();
    response.write(text);
  };
  return {
    /**
     * Writes to the response. Returns undefined if more can be written at once, else a promise that resolves then.
     * @throws ClientGoneError (rejects) if the client is gone or does not read.
     */
    write(text: string): Promise<void> | undefined {
      if (response.destroyed) return Promise.reject(new ClientGoneError());
      if (waiting === '') setImmediate(flush);
      waiting += text;
      // The first one is not delayed by what else happens in this turn.
      if (!hasBegun || waiting.length > MAX_WAITING) flush();
      return response.writableNeedDrain ? awaitDrain(response, clock) : undefined;
    },
    /** Returns the milliseconds since the last write. */
    silenceMs: (): number => clock.now() - writtenAt,
    /** Completes the response; nothing can be written afterwards. */
    end(text = ''): void {
      if (response.destroyed) return;
      response.end(waiting + text);
      waiting = '';
    },
  };
}

/** Silence after which a stream gets a ping. */
export const PING_INTERVAL_MS = 15_000;

/**
 * Sends a ping after every `PING_INTERVAL_MS` of silence, so that proxies and clients don't time out while a model is
 * thinking.
 * @returns a function that stops it.
 */
export function keepAwake(stream: EventStream, clock: Clock, ping: string): () => void {
  let cancel = () => {};
  const wait = (delayMs: number) => {
    cancel = clock.setTimer(delayMs, () => {
      const silenceMs = stream.silenceMs();
      if (silenceMs >= PING_INTERVAL_MS) stream.write(ping)?.catch(() => {});
      wait(silenceMs >= PING_INTERVAL_MS ? PING_INTERVAL_MS : PING_INTERVAL_MS - silenceMs);
    });
  };
  wait(PING_INTERVAL_MS);
  return () => cancel();
}
