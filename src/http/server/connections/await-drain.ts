import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../lib/clock.ts';
import { ClientGoneError } from './in-flight-requests.ts';

/** Time for which a client may leave a stream, an image or a download unread before it counts as gone. */
export const DRAIN_TIMEOUT_MS = 60_000;

/**
 * Resolves when the write buffer of a response has drained.
 * @throws ClientGoneError if the client is gone, or has been disconnected because it did not read in time.
 */
export function awaitDrain(response: ServerResponse, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      cancelTimer();
      response.off('drain', settle);
      response.off('close', settle);
      if (response.destroyed) reject(new ClientGoneError());
      else resolve();
    };
    const cancelTimer = clock.setTimer(DRAIN_TIMEOUT_MS, () => response.destroy());
    response.once('drain', settle);
    response.once('close', settle);
  });
}
