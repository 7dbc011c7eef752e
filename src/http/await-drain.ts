import type { ServerResponse } from 'node:http';
import type { Clock } from '../lib/clock.ts';
import { ClientGoneError } from './open-exchanges.ts';

export interface DrainDeps {
  readonly clock: Clock;
  /** How long a client may leave its side unread before it counts as gone, milliseconds. */
  readonly drainTimeoutMs: number;
}

/**
 * Resolves when a response that was full has room again.
 * @throws ClientGoneError when the client is gone, or does not read in time and is cut off.
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
