import type { FastifyReply } from 'fastify';
import type { Clock } from '../../lib/clock.ts';
import { awaitDrain, type DrainDeps } from '../await-drain.ts';
import { ClientGoneError } from '../open-exchanges.ts';

/** A response that carries server-sent events. */
export interface EventStream {
  /**
   * Undefined where there is room for more; else resolves when there is.
   * @throws ClientGoneError (rejects) when the client is gone or does not read.
   */
  write(bytes: Buffer | string): Promise<void> | undefined;
  /** Milliseconds since something was written last. */
  silenceMs(): number;
  /** Ends the response as complete; nothing can be written after. */
  end(bytes?: string): void;
}

/** Sends the headers; from here on failures can only be told inside the stream. */
export function startEventStream(reply: FastifyReply, deps: DrainDeps): EventStream {
  const { clock } = deps;
  let writtenAt = clock.now();
  const response = reply.hijack().raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    // Proxies of nginx's kind would hold the pieces back to send them together.
    'x-accel-buffering': 'no',
  });
  return {
    write(bytes) {
      if (response.destroyed) return Promise.reject(new ClientGoneError());
      writtenAt = clock.now();
      return response.write(bytes) ? undefined : awaitDrain(response, deps);
    },
    silenceMs: () => clock.now() - writtenAt,
    end(bytes) {
      if (response.destroyed) return;
      if (bytes === undefined) response.end();
      else response.end(bytes);
    },
  };
}

/** A comment of the event stream format: keeps the connection alive and means nothing to clients. */
export const PING = ': ping\n\n';

/**
 * Says `: ping` whenever the stream was silent for `intervalMs`, so that proxies and clients do not take a thinking model for a dead line.
 * @returns stops it.
 */
export function keepAwake(stream: EventStream, clock: Clock, intervalMs: number): () => void {
  let cancel = () => {};
  const wait = (delayMs: number) => {
    cancel = clock.setTimer(delayMs, () => {
      const silenceMs = stream.silenceMs();
      if (silenceMs >= intervalMs) stream.write(PING)?.catch(() => {});
      wait(silenceMs >= intervalMs ? intervalMs : intervalMs - silenceMs);
    });
  };
  wait(intervalMs);
  return () => cancel();
}
