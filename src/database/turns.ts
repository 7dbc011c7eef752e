import { setImmediate } from 'node:timers/promises';

/** Work that waits its turn: one at a time. */
export interface Turns {
  /** Does the work when everything before it has ended. Urgent work goes before all that is not, and before nothing else. */
  take<Result>(work: () => Promise<Result>, urgency?: 'urgent' | 'usual'): Promise<Result>;
}

/** After so much work others of the process are heard. */
const BREAK_AFTER_MS = 2;

/**
 * For a database inside the process: its statements run on the one thread, and between two of them nothing else would be heard,
 * neither a request nor a timer, for as long as somebody has one to run.
 */
export function createTurns(): Turns {
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
