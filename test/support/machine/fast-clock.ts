import { type Clock, sleep } from '../../../src/lib/clock.ts';

/** Real milliseconds between two checks for due timers. */
const TICK_MS = 2;
/** Maximum real time counted between two checks. More means that this process was not scheduled, or was computing. */
const MOST_MS = 10;
/** Factor by which time slows down while work is in progress. */
const BUSY_PACE = 0.02;
/** Maximum time that `skip` moves at once: what a timer has begun takes some turns of the event loop. */
const SKIP_MS = 1000;

/**
 * Creates a clock that runs `speed` times as fast as real time while the process is idle: delays and limits keep their
 * proportions, and a test takes a fraction of the time. It slows down while the machine does not schedule this process,
 * while the process computes, while its child processes do (`src/lib/process/run-in-process.ts`), and while `isBusy` (for example
 * during statements), so that slow machines cause no timeouts.
 */
export function createFastClock(speed: number, isBusy: () => boolean = () => false) {
  const timers = new Map<number, { readonly dueAt: number; readonly callback: () => void }>();
  let time = Date.now();
  let lookedAt = performance.now();
  let nextId = 0;
  let isTicking = false;
  let skippedUntil = 0;

  const isWorking = () => isBusy() || hasWorkingChild();
  /** Without timers, nothing can be late, so all time counts. */
  const look = () => {
    const at = performance.now();
    const passedMs = timers.size > 0 ? Math.min(at - lookedAt, MOST_MS) : at - lookedAt;
    time += passedMs * speed * (isWorking() ? BUSY_PACE : 1);
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
  /** Moves to the next timer while `skip` waits. */
  const skipIdleTime = () => {
    if (time >= skippedUntil || isWorking()) return;
    const dueAt = Math.min(...[...timers.values()].map((timer) => timer.dueAt));
    time = Math.max(time, Math.min(dueAt, skippedUntil, time + SKIP_MS));
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
      skipIdleTime();
      fire();
    }, TICK_MS);
  };

  const clock: Clock = {
    now: look,
    setTimer(delayMs, callback) {
      const id = nextId++;
      timers.set(id, { dueAt: look() + Math.max(0, delayMs), callback });
      tickSoon();
      return () => void timers.delete(id);
    },
  };
  return {
    ...clock,
    /** Waits until `ms` have passed. Idle time takes no real time. */
    skip(ms: number): Promise<void> {
      skippedUntil = Math.max(skippedUntil, look() + ms);
      return sleep(clock, ms);
    },
  };
}

/** Tells whether a child process runs a task. Idle ones are not active resources. */
function hasWorkingChild(): boolean {
  return process.getActiveResourcesInfo().includes('ProcessWrap');
}
