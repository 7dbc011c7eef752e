import { createCache } from '../../../lib/cache.ts';
import type { Clock } from '../../../lib/clock.ts';
import { HttpError } from '../../http-error.ts';

const MINUTE_MS = 60_000;
/** Keys counted at the same time. */
const MAX_KEYS = 10_000;

/**
 * Returns a function that counts a request of a key and throws 429 above the rate. It counts in this process only: it
 * protects the database from a script in a loop, not a budget.
 */
export function createRequestRate(clock: Clock, maxRequests: number): (keyId: number) => void {
  const minutes = createCache<number, { readonly beganAt: number; count: number }>(clock, {
    max: MAX_KEYS,
    ttlMs: MINUTE_MS,
  });
  return (keyId) => {
    const minute = minutes.get(keyId) ?? { beganAt: clock.now(), count: 0 };
    if (minute.count === 0) minutes.set(keyId, minute);
    minute.count += 1;
    if (minute.count <= maxRequests) return;
    const seconds = Math.max(1, Math.ceil((minute.beganAt + MINUTE_MS - clock.now()) / 1000));
    throw new HttpError({
      status: 429,
      type: 'requests',
      code: 'rate_limit_exceeded',
      message: `A key may send ${maxRequests} requests per minute here. Please try again in ${seconds} s.`,
      headers: { 'retry-after': String(seconds) },
    });
  };
}
