import type { Clock } from '../../src/lib/clock.ts';

/** The real time, running `speed` times as fast: paces and limits keep their proportions, and a test takes a fraction of the time. */
export function createFastClock(speed: number): Clock {
  const startedAt = Date.now();
  const startedPerformance = performance.now();
  return {
    now: () => startedAt + (performance.now() - startedPerformance) * speed,
    setTimer(delayMs, callback) {
      const timer = setTimeout(callback, delayMs / speed);
      return () => clearTimeout(timer);
    },
  };
}
