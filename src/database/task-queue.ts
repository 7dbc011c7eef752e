import { setImmediate } from 'node:timers/promises';

/** Queue that runs one task at a time. */
export interface TaskQueue {
  /** Runs the task after all earlier ones. Urgent tasks run before usual ones. */
  take<Result>(work: () => Promise<Result>, urgency?: 'urgent' | 'usual'): Promise<Result>;
}

/** Time after which the queue yields to the event loop. */
const BREAK_AFTER_MS = 2;

/**
 * Creates the queue of an embedded database. Its statements run on the main thread, and without breaks a series of them
 * would block requests and timers.
 */
export function createTaskQueue(): TaskQueue {
  const waiting = { urgent: [] as (() => Promise<void>)[], usual: [] as (() => Promise<void>)[] };
  let isWorking = false;
  let workedMs = 0;
  const first = () => waiting.urgent.shift() ?? waiting.usual.shift();

  const workOff = async () => {
    isWorking = true;
    for (let next = first(); next; next = first()) {
      const beganAt = performance.now();
      await next();
      workedMs += performance.now() - beganAt;
      if (workedMs < BREAK_AFTER_MS) continue;
      workedMs = 0;
      await setImmediate();
    }
    isWorking = false;
  };

  return {
    take(work, urgency = 'usual') {
      return new Promise((resolve, reject) => {
        waiting[urgency].push(() => work().then(resolve, reject));
        if (!isWorking) void workOff();
      });
    },
  };
}
