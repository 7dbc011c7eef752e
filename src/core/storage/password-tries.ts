import type { Clock } from '../../lib/clock.ts';

const PERIOD_MS = 15 * 60_000;
/** Wrong passwords for one file in a period, from one client. */
const MAX_FROM_CLIENT = 10;
/**
 * Wrong passwords for one file in a period, from the wider network of a client, which may have many addresses there.
 */
const MAX_FROM_WIDE_NETWORK = 40;
/**
 * Wrong passwords for one file in a period, from all clients. Hashing allows 7200 in a period (two at a time, a quarter
 * of a second each). This limit is a seventh of that. It takes 100 clients to reach it: it stops guessing from many
 * networks, and no single client can use it up.
 */
const MAX_FOR_FILE = 1000;
/** More than hashing allows in a period, so no counter is evicted while it matters. */
const MAX_COUNTERS = 50_000;

/** Limits on wrong passwords, counted in this process. */
export type PasswordTries = ReturnType<typeof createPasswordTries>;

interface Counter {
  count: number;
  readonly endsAt: number;
}

/** Limits wrong passwords by file and by client. Evicts the oldest counters when there are too many. */
export function createPasswordTries(clock: Clock) {
  const counters = new Map<string, Counter>();
  const find = (key: string): Counter | undefined => {
    const counter = counters.get(key);
    if (counter && counter.endsAt > clock.now()) return counter;
    counters.delete(key);
    return undefined;
  };
  const increment = (key: string) => {
    const counter = find(key) ?? { count: 0, endsAt: clock.now() + PERIOD_MS };
    counter.count++;
    counters.set(key, counter);
    const [oldest] = counters.keys();
    if (counters.size > MAX_COUNTERS && oldest !== undefined) counters.delete(oldest);
  };
  const limitsOf = (fileId: string, client: readonly string[]): ReadonlyMap<string, number> =>
    new Map([
      [fileId, MAX_FOR_FILE],
      ...client.map((name, at) => [`${fileId} ${name}`, at === 0 ? MAX_FROM_CLIENT : MAX_FROM_WIDE_NETWORK] as const),
    ]);
  return {
    /**
     * Counts a try as wrong before its result is known, so concurrent tries can't exceed the limit.
     * @param client names of the client, the narrowest first: its network and the wider one, or a user.
     * @returns milliseconds until the next try is allowed; 0 if this one is.
     */
    begin(fileId: string, client: readonly string[]): number {
      const limits = limitsOf(fileId, client);
      // Refused tries create no counters: these would evict counters of other clients.
      for (const [key, limit] of limits) {
        const counter = find(key);
        if (counter && counter.count >= limit) return Math.max(1, counter.endsAt - clock.now());
      }
      for (const key of limits.keys()) increment(key);
      return 0;
    },
    /** Takes back a try: the password was right, or could not be compared. */
    forgive(fileId: string, client: readonly string[]): void {
      for (const key of limitsOf(fileId, client).keys()) {
        const counter = find(key);
        if (!counter) continue;
        counter.count--;
        if (counter.count <= 0) counters.delete(key);
      }
    },
  };
}
