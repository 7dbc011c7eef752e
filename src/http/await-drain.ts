import type { ServerResponse } from 'node:http';
import type { Clock } from '../lib/clock.ts';
import { ClientGoneError } from './in-flight-requests.ts';

export interface DrainDeps {
  readonly clock: Clock;
  /** Time in milliseconds for which a client may stop reading before it counts as gone. */
  readonly drainTimeoutMs: number;
}

/**
 * Resolves when the write buffer of a response has drained.
 * @throws ClientGoneError if the client is gone, or has been disconnected because it did not read in time.
 */
export function awaitDrain(response: ServerResponse, deps: DrainDeps): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      cancelTimer();
      response.off('drain', settle);
      response.off('close', settle);
      if (response.destroyed) reject(new ClientGoneError());
      else resolve();
    };
    const cancelTimer = deps.clock.setTimer(deps.drainTimeoutMs, () => response.destroy());
    response.once('drain', settle);
    response.once('close', settle);
  });
}
