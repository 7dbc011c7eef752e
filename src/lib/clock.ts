/** Time as a dependency, so that tests control it. */
export interface Clock {
  /** Returns milliseconds since the Unix epoch. Never decreases. */
  now(): number;
  /** Calls `callback` once after `delayMs`. Returns a function that cancels it. */
  setTimer(delayMs: number, callback: () => void): () => void;
}

/** Rate of time after the machine's clock was set back, until it has caught up. */
const SLOW_PACE = 0.9;

/**
 * Returns a clock that follows the machine's clock but never goes back, so that a clock set back by an hour does not
 * prolong waits by an hour. A forward jump (such as after sleep) is followed at once; after a backward jump time passes
 * a tenth more slowly until both agree.
 * @param wall returns milliseconds since the Unix epoch, which may jump.
 * @param steady returns milliseconds since any moment, which never jump.
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

/** The machine's clock. Timers keep the process alive until they fire or are canceled. */
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
 * Waits `delayMs` on the given clock. An abort cancels the timer.
 * @throws the signal's reason as soon as it aborts.
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

/**
 * Waits for work to end, but at most `timeoutMs`, and not longer than until the signal aborts.
 * @returns whether it has ended.
 * @throws the errors of the work.
 */
export async function endsWithin(
  clock: Clock,
  ended: Promise<unknown>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const over = new AbortController();
  const isOver = signal ? AbortSignal.any([over.signal, signal]) : over.signal;
  const waited = sleep(clock, timeoutMs, isOver).catch(() => {});
  try {
    return await Promise.race([ended.then(() => true), waited.then(() => false)]);
  } finally {
    over.abort();
  }
}

interface TimeLimit {
  readonly timeoutMs: number;
  /** Returns the reason of the abort after `timeoutMs`. */
  readonly toReason: () => unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Runs work with a signal that aborts after a time, or with the given one. @throws the errors of the work. */
export async function runWithin<Result>(
  clock: Clock,
  { timeoutMs, toReason, signal }: TimeLimit,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const timeout = new AbortController();
  const cancel = clock.setTimer(timeoutMs, () => timeout.abort(toReason()));
  try {
    return await work(signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal);
  } finally {
    cancel();
  }
}
