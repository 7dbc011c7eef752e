import type { Clock } from '../../src/lib/clock.ts';

/** Real milliseconds between two looks for timers that are due. */
const TICK_MS = 2;
/** The most real time that counts between two looks: with more this process was not at work, or computed. */
const MOST_MS = 10;
/** How much more slowly time runs while somebody works. */
const BUSY_PACE = 0.1;

/**
 * Time that runs `speed` times as fast as the real one while nothing is to be done: paces and limits keep their proportions, and a test takes
 * a fraction of the time. It waits for whoever works. While the machine gives this process no time, while the process computes, and while
 * `isBusy` (statements are under way, say), little time goes by: what is slow on a slow machine is not late.
 */
export function createFastClock(speed: number, isBusy: () => boolean = () => false): Clock {
  const timers = new Map<number, { readonly dueAt: number; readonly callback: () => void }>();
  let time = Date.now();
  let lookedAt = performance.now();
  let nextId = 0;
  let isTicking = false;

  /** Without timers nobody is late. */
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
  /** One timer at a time: what one brings about comes before the next. */
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
