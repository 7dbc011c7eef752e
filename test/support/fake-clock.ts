import type { Clock } from '../../src/lib/clock.ts';

/** A clock that moves only when told to. Timers fire in order of their due time. */
export interface FakeClock extends Clock {
  /** Moves time forward by `ms`, firing what falls due on the way and letting promises settle after each. */
  advance(ms: number): Promise<void>;
  /** Timers that wait. */
  readonly pending: number;
}

/** Work that never ends, on a source that never waits, must not hold the clock for ever. */
const MAX_ROUNDS = 100;

/**
 * @param waitForWork waits for what is under way in real time (at a server), false where nothing is: the clock stands still
 * meanwhile.
 */
export function createFakeClock(startMs = Date.UTC(2026, 0, 1), waitForWork = async () => false): FakeClock {
  let now = startMs;
  let nextId = 0;
  const timers = new Map<number, { dueAt: number; callback: () => void }>();
  const settle = async () => {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      if (!(await waitForWork())) break;
    }
  };
  return {
    now: () => now,
    setTimer(delayMs, callback) {
      const id = nextId++;
      timers.set(id, { dueAt: now + Math.max(0, delayMs), callback });
      return () => void timers.delete(id);
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        const due = [...timers]
          .filter(([, timer]) => timer.dueAt <= end)
          .sort((a, b) => a[1].dueAt - b[1].dueAt || a[0] - b[0])[0];
        if (!due) break;
        timers.delete(due[0]);
        now = Math.max(now, due[1].dueAt);
        due[1].callback();
        await settle();
      }
      // Somebody else may have moved it further meanwhile.
      now = Math.max(now, end);
      await settle();
    },
    get pending() {
      return timers.size;
    },
  };
}
