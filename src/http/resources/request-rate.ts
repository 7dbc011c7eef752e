import { createCache } from '../../lib/async/cache.ts';
import type { Clock } from '../../lib/clock.ts';
import { HttpError } from '../../protocols/http-error.ts';

const MINUTE_MS = 60_000;
/** Maximum number of requests of one key or session in a minute, to the management API or a user's own data. */
export const OWN_REQUESTS_PER_MINUTE = 300;
/** Clients counted at the same time. */
const MAX_CLIENTS = 10_000;

/**
 * Returns a function that counts a request of a client and throws 429 above the rate. It counts in this process only: it
 * protects the database from a script in a loop, not a budget.
 */
export function createRequestRate(clock: Clock, maxRequests: number): (client: string) => void {
  const minutes = createCache<string, { readonly beganAt: number; count: number }>(clock, {
    max: MAX_CLIENTS,
    ttlMs: MINUTE_MS,
  });
  return (client) => {
    const minute = minutes.get(client) ?? { beganAt: clock.now(), count: 0 };
    if (minute.count === 0) minutes.set(client, minute);
    minute.count += 1;
    if (minute.count <= maxRequests) return;
    const seconds = Math.max(1, Math.ceil((minute.beganAt + MINUTE_MS - clock.now()) / 1000));
    throw new HttpError({
      status: 429,
      type: 'requests',
      code: 'rate_limit_exceeded',
      message: `Only ${maxRequests} requests per minute are possible here. Please try again in ${seconds} s.`,
      headers: { 'retry-after': String(seconds) },
    });
  };
}
