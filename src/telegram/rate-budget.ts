/** How many calls fit into a stretch of time. */
export interface RateLimits {
  /** Calls that may go at once after a rest. At least 1. */
  readonly burst: number;
  /** One more call every so many milliseconds. */
  readonly refillMs: number;
  /** A hard ceiling over a sliding stretch of time, where the platform has one. */
  readonly window?: { readonly count: number; readonly perMs: number };
}

/** The calls one chat, or one token, may still make. Times are milliseconds of the caller's clock. */
export interface RateBudget {
  /** Milliseconds until a call may go that leaves `reserve` further calls untouched; 0 when it may. A reserve beyond the burst is cut. */
  waitMs(now: number, reserve?: number): number;
  /** Books a call that counts as `count`. More than the burst empties it; the window counts them all. */
  take(now: number, count?: number): void;
  /** Leaves exactly one call, and that at `time`: after the platform has complained. */
  drain(time: number): void;
  /** True when nothing booked matters any more. */
  isRested(now: number): boolean;
}

/** A token bucket under an optional sliding window. */
export function createRateBudget(limits: RateLimits): RateBudget {
  let available = limits.burst;
  let updatedAt = Number.NEGATIVE_INFINITY;
  let takenAt: number[] = [];

  const settle = (now: number) => {
    if (now <= updatedAt) return;
    available = Math.min(limits.burst, available + (now - updatedAt) / limits.refillMs);
    updatedAt = now;
    const { window } = limits;
    if (window) takenAt = takenAt.filter((time) => time > now - window.perMs);
  };

  const windowWaitMs = (now: number, reserve: number) => {
    if (!limits.window) return 0;
    const allowed = Math.max(1, limits.window.count - reserve);
    const blocking = takenAt[takenAt.length - allowed];
    return blocking === undefined ? 0 : Math.max(0, blocking + limits.window.perMs - now);
  };

  return {
    waitMs(now, reserve = 0) {
      settle(now);
      // A budget smaller than the reserve must still let something through.
      const needed = 1 + Math.min(reserve, limits.burst - 1);
      const sinceUpdateMs = now - updatedAt;
      const bucketWaitMs = available >= needed ? 0 : (needed - available) * limits.refillMs - sinceUpdateMs;
      return Math.ceil(Math.max(0, bucketWaitMs, -sinceUpdateMs, windowWaitMs(now, reserve)));
    },
    take(now, count = 1) {
      settle(now);
      available -= Math.min(count, limits.burst);
      if (limits.window) takenAt.push(...Array<number>(count).fill(now));
    },
    drain(time) {
      available = 1;
      updatedAt = time;
    },
    isRested(now) {
      settle(now);
      return available >= limits.burst && takenAt.length === 0;
    },
  };
}
