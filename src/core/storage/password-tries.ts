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
  const namesOf = (fileId: string, sender: string) => [fileId, `${fileId} ${sender}`];
  const limits = [MAX_FOR_FILE, MAX_FROM_SENDER];
  return {
    begin(fileId, sender) {
      const kept: Counter[] = [];
      // That of the file first: while it is full, nobody's own is made, which would put others out.
      for (const [at, name] of namesOf(fileId, sender).entries()) {
        const counter = read(name);
        if (counter.count >= (limits[at] ?? 0)) return Math.max(1, counter.endsAt - clock.now());
        kept.push(counter);
      }
      for (const counter of kept) counter.count++;
      return 0;
    },
    forgive(fileId, sender) {
      for (const name of namesOf(fileId, sender)) {
        const counter = read(name);
        counter.count = Math.max(0, counter.count - 1);
      }
    },
  };
}
