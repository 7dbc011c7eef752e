import type { FastifyReply } from 'fastify';
import type { Clock } from '../../../lib/clock.ts';
import { awaitDrain } from '../../server/connections/await-drain.ts';
import { ClientGoneError } from '../../server/connections/in-flight-requests.ts';

/** A response of server-sent events. */
export type EventStream = ReturnType<typeof startEventStream>;

/** Sends the headers and starts the stream. Later failures can only be reported within the stream. */
export function startEventStream(reply: FastifyReply, clock: Clock) {
  let writtenAt = clock.now();
  const response = reply.hijack().raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    // Prevents buffering by nginx and similar proxies.
    'x-accel-buffering': 'no',
  });
  return {
    /**
     * Writes to the response. Returns undefined if more can be written at once, else a promise that resolves then.
     * @throws ClientGoneError (rejects) if the client is gone or does not read.
     */
    write(bytes: Buffer | string): Promise<void> | undefined {
      if (response.destroyed) return Promise.reject(new ClientGoneError());
      writtenAt = clock.now();
      return response.write(bytes) ? undefined : awaitDrain(response, clock);
    },
    /** Returns the milliseconds since the last write. */
    silenceMs: (): number => clock.now() - writtenAt,
    /** Completes the response; nothing can be written afterwards. */
    end(bytes?: string): void {
      if (response.destroyed) return;
      if (bytes === undefined) response.end();
      else response.end(bytes);
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
