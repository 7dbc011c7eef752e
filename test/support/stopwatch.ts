const TICK_MS = 5;

/**
 * Milliseconds from now to the call, in which this process could work: while the machine gives it no time, the watch stands still. So it says
 * on a busy machine, too, whether something happens at once or is waited for.
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
