import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Time of work after which it yields to the event loop. */
const BREAK_AFTER_MS = 2;

/** Counts the time of work on the main thread, and yields to the event loop after some. */
export function createBreaks(): { after<Result>(work: () => Promise<Result>): Promise<Result> } {
  let workedMs = 0;
  return {
    async after(work) {
      const beganAt = performance.now();
      try {
        return await work();
      } finally {
        workedMs += performance.now() - beganAt;
        if (workedMs >= BREAK_AFTER_MS) {
          workedMs = 0;
          await yieldToEventLoop();
        }
      }
    },
  };
}

/**
 * Creates the queue of an embedded database. Its statements run on the main thread, and without breaks a series of them
 * would block requests and timers.
 */
export function createTaskQueue() {
  const waiting = { urgent: [] as (() => Promise<void>)[], usual: [] as (() => Promise<void>)[] };
  let isWorking = false;
  const breaks = createBreaks();
  const first = () => waiting.urgent.shift() ?? waiting.usual.shift();

  const workOff = async () => {
    isWorking = true;
    for (let next = first(); next; next = first()) await breaks.after(next);
    isWorking = false;
  };

  return {
    /** Runs the task after all earlier ones. Urgent tasks run before usual ones. */
    take<Result>(work: () => Promise<Result>, urgency: 'urgent' | 'usual' = 'usual'): Promise<Result> {
      return new Promise((resolve, reject) => {
        waiting[urgency].push(() => work().then(resolve, reject));
        if (!isWorking) void workOff();
      });
    },
  };
}
