import type { Clock } from '../../lib/clock.ts';

const PERIOD_MS = 15 * 60_000;
/** Wrong passwords for one file in a period: from one sender, from everybody. */
const MAX_FROM_SENDER = 10;
const MAX_FOR_FILE = 100;
const MAX_COUNTERS = 20_000;

/** How often wrong passwords were tried lately, in this process. */
export interface PasswordTries {
  /**
   * Counts a try as wrong before anybody knows: tries that are made at once must not pass together.
   * @param sender an address or a person.
   * @returns how long to wait until the next try, milliseconds; 0 where this one may go on.
   */
  begin(fileId: string, sender: string): number;
  /** Takes the try back: the password was right, or nobody knows. */
  forgive(fileId: string, sender: string): void;
}

interface Counter {
  count: number;
  readonly endsAt: number;
}

/** Bounds wrong passwords for each file and sender. The oldest counters are forgotten where there are too many. */
export function createPasswordTries(clock: Clock): PasswordTries {
  const counters = new Map<string, Counter>();
  const read = (key: string): Counter => {
    const known = counters.get(key);
    if (known && known.endsAt > clock.now()) return known;
    const counter = { count: 0, endsAt: clock.now() + PERIOD_MS };
    counters.delete(key);
    counters.set(key, counter);
    const [oldest] = counters.keys();
    if (counters.size > MAX_COUNTERS && oldest !== undefined) counters.delete(oldest);
    return counter;
  };
  const both = (fileId: string, sender: string) =>
    [
      { counter: read(fileId), max: MAX_FOR_FILE },
      { counter: read(`${fileId} ${sender}`), max: MAX_FROM_SENDER },
    ] as const;
  return {
    begin(fileId, sender) {
      const kept = both(fileId, sender);
      const full = kept.find(({ counter, max }) => counter.count >= max);
      if (full) return Math.max(1, full.counter.endsAt - clock.now());
      for (const { counter } of kept) counter.count++;
      return 0;
    },
    forgive(fileId, sender) {
      for (const { counter } of both(fileId, sender)) counter.count = Math.max(0, counter.count - 1);
    },
  };
}
