/** Time as a dependency, so that tests decide what "later" means. */
export interface Clock {
  /** Milliseconds since the Unix epoch; it never goes back. */
  now(): number;
  /** Calls `callback` once after `delayMs`; the answer cancels it. */
  setTimer(delayMs: number, callback: () => void): () => void;
}

/** Where the machine's clock was set back, time goes by at this pace until the machine has caught up. */
const SLOW_PACE = 0.9;

/**
 * Time that follows the machine's clock and never goes back: nobody waits for an hour because that was set back by one. It is followed at
 * once where it is set forward (a machine that slept); where it is set back, time only goes by a tenth more slowly until they are the same.
 * @param wall milliseconds since the Unix epoch, which may jump; `steady` milliseconds since any moment, which never do.
 */
export function createSteadyTime(wall: () => number, steady: () => number): () => number {
  let time = wall();
  let askedAt = steady();
  return () => {
    const moment = steady();
    time = Math.max(wall(), time + (moment - askedAt) * SLOW_PACE);
    askedAt = moment;
    return Math.floor(time);
  };
}

/** The machine's clock. Timers keep the process alive until they fire or are cancelled. */
export const systemClock: Clock = {
  now: createSteadyTime(
    () => Date.now(),
    () => performance.now(),
  ),
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * Waits `delayMs` on the given clock.
 * @throws the signal's reason as soon as it aborts; no timer is left behind.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.setTimer(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
