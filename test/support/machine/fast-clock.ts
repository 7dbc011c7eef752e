import type { Clock } from '../../../src/lib/clock.ts';

/** Real milliseconds between two checks for due timers. */
const TICK_MS = 2;
/** Maximum real time counted between two checks. More means that this process was not scheduled, or was computing. */
const MOST_MS = 10;
/** Factor by which time slows down while work is in progress. */
const BUSY_PACE = 0.1;

/**
 * Creates a clock that runs `speed` times as fast as real time while the process is idle: delays and limits keep their
 * proportions, and a test takes a fraction of the time. It slows down while the machine does not schedule this process,
 * while the process computes, and while `isBusy` (for example during statements), so that slow machines cause no
 * timeouts.
 */
export function createFastClock(speed: number, isBusy: () => boolean = () => false): Clock {
  const timers = new Map<number, { readonly dueAt: number; readonly callback: () => void }>();
  let time = Date.now();
  let lookedAt = performance.now();
  let nextId = 0;
  let isTicking = false;

  /** Without timers, nothing can be late, so all time counts. */
  const look = () => {
    const at = performance.now();
    const passedMs = timers.size > 0 ? Math.min(at - lookedAt, MOST_MS) : at - lookedAt;
    time += passedMs * speed * (isBusy() ? BUSY_PACE : 1);
    lookedAt = at;
    return time;
  };
  const takeFirstDue = () => {
    const due = [...timers].filter(([, { dueAt }]) => dueAt <= time);
    const [first] = due.sort((a, b) => a[1].dueAt - b[1].dueAt || a[0] - b[0]);
    if (!first) return undefined;
    timers.delete(first[0]);
    return first[1].callback;
  };
  /** Fires one timer at a time: its consequences run before the next timer. */
  const fire = () => {
    const callback = takeFirstDue();
    if (callback) setImmediate(fire);
    else isTicking = false;
    callback?.();
    tickSoon();
  };
  const tickSoon = () => {
    if (isTicking || timers.size === 0) return;
    isTicking = true;
    setTimeout(() => {
      look();
      fire();
    }, TICK_MS);
  };

  return {
    now: look,
    setTimer(delayMs, callback) {
      const id = nextId++;
      timers.set(id, { dueAt: look() + Math.max(0, delayMs), callback });
      tickSoon();
      return () => void timers.delete(id);
    },
  };
}
