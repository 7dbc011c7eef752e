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
