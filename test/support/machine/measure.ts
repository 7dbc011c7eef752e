import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

function readCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns the CPU time of a synchronous call in milliseconds. Other processes of the machine do not count. */
export function measureStep(step: () => void): number {
  const startedAt = readCpuMs();
  step();
  return readCpuMs() - startedAt;
}

/** Returns the CPU time of the fastest of up to ten runs, in milliseconds; stops early below `enoughMs`. */
export function measureBestStep(step: () => void, enoughMs: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 10 && best > enoughMs; run++) best = Math.min(best, measureStep(step));
  return best;
}

/**
 * Watches the event loop. The returned function stops watching and returns the longest step in milliseconds of CPU
 * time.
 */
export function watchLongestStep(): () => number {
  let longestMs = 0;
  let startedAt = readCpuMs();
  let immediate: NodeJS.Immediate;
  const next = () => {
    const now = readCpuMs();
    longestMs = Math.max(longestMs, now - startedAt);
    startedAt = now;
    immediate = setImmediate(next);
  };
  immediate = setImmediate(next);
  return () => {
    clearImmediate(immediate);
    return Math.max(longestMs, readCpuMs() - startedAt);
  };
}

/**
 * Returns the longest step of the event loop during the best of up to five runs, in milliseconds of CPU time; stops early
 * below `enoughMs`. What blocks the loop does so in each run, the collector of garbage in some.
 */
export async function measureBestRun(run: () => Promise<unknown>, enoughMs: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let count = 0; count < 5 && best > enoughMs; count++) {
    const stop = watchLongestStep();
    await run();
    best = Math.min(best, stop());
  }
  return best;
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Returns the heap size of this process after garbage collection. */
export function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const TICK_MS = 5;

/**
 * Starts a stopwatch; the returned function gives the elapsed milliseconds. Time in which the machine did not schedule
 * this process does not count, so that a busy machine does not make an immediate action look like a wait.
 */
export function startStopwatch(): () => number {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, TICK_MS).unref();
  return () => {
    clearInterval(timer);
    return ticks * TICK_MS;
  };
}
