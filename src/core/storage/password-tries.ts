import type { Clock } from '../../lib/clock.ts';

const PERIOD_MS = 15 * 60_000;
/** Wrong passwords for one file in a period, from one client. */
const MAX_FROM_CLIENT = 10;
/** The same from the wider network of a client, in which it may have many addresses. */
const MAX_FROM_WIDE_NETWORK = 40;
/**
 * The same from all clients. Two hashes at a time of a quarter of a second are 7200 tries in a period: this bound lets through a
 * seventh, and takes 100 clients to reach, so that it stops guessing from many networks and no single client can use it up.
 */
const MAX_FOR_FILE = 1000;
/** More than hashing allows in a period, so that no count is forgotten while it matters. */
const MAX_COUNTERS = 50_000;

/** How often wrong passwords were tried lately, in this process. */
export interface PasswordTries {
  /**
   * Counts a try as wrong before its result is known, because tries that are made at once must not pass together.
   * @param client names of the client, the narrowest first: its network and the wider one, or a user.
   * @returns how long to wait until the next try, milliseconds; 0 where this one may go on.
   */
  begin(fileId: string, client: readonly string[]): number;
  /** Takes the try back: the password was right, or could not be compared. */
  forgive(fileId: string, client: readonly string[]): void;
}

interface Counter {
  count: number;
  readonly endsAt: number;
}

/** Bounds wrong passwords for each file and client. The oldest counters are forgotten where there are too many. */
export function createPasswordTries(clock: Clock): PasswordTries {
  const counters = new Map<string, Counter>();
  const find = (key: string): Counter | undefined => {
    const known = counters.get(key);
    if (known && known.endsAt > clock.now()) return known;
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
    begin(fileId, client) {
      const limits = limitsOf(fileId, client);
      // Refused tries make no counters: they would displace those of others.
      for (const [key, limit] of limits) {
        const counter = find(key);
        if (counter && counter.count >= limit) return Math.max(1, counter.endsAt - clock.now());
      }
      for (const key of limits.keys()) increment(key);
      return 0;
    },
    forgive(fileId, client) {
      for (const key of limitsOf(fileId, client).keys()) {
        const counter = find(key);
        if (!counter) continue;
        counter.count--;
        if (counter.count <= 0) counters.delete(key);
      }
    },
  };
}
