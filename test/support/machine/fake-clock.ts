import type { Clock } from '../../../src/lib/clock.ts';

/** Clock that only moves when advanced. Timers fire in order of their due time. */
export interface FakeClock extends Clock {
  /** Moves time forward by `ms` and fires due timers, letting promises settle after each. */
  advance(ms: number): Promise<void>;
  /** Number of pending timers. */
  readonly pending: number;
}

/** Bounds the rounds of settling, for work that never ends. */
const MAX_ROUNDS = 100;

/**
 * @param waitForWork waits for work in real time (on a server), and returns false if there is none. The clock does not
 * move meanwhile.
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
      // A concurrent `advance` may have moved it further.
      now = Math.max(now, end);
      await settle();
    },
    get pending() {
      return timers.size;
    },
  };
}
