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
  /**
   * Milliseconds until a call may go that leaves `reserve` further calls untouched, and `windowReserve` in the window; 0 when it may. A
   * reserve beyond the burst is cut.
   */
  waitMs(now: number, reserve?: number, windowReserve?: number): number;
  /**
   * Books a call that counts as `count`. More than the burst empties it; the window counts them all. Nobody here knows when the
   * platform counts a call, only that it has done so by the time of its answer: the window begins there.
   * @returns tells that the answer has come.
   */
  take(now: number, count?: number): (answeredAt: number) => void;
  /** Leaves exactly one call, and that at `time`: after the platform has complained. */
  drain(time: number): void;
  /** Leaves only this part of the limits from now on, above 0 and at most 1: one call at once at least, and one in a window. */
  setShare(now: number, share: number): void;
  /** True when nothing booked matters any more. */
  isRested(now: number): boolean;
}

interface Booking {
  readonly startedAt: number;
  answeredAt: number | undefined;
}

/** A call that takes longer (an upload, one that got lost) has been counted by then. */
const LONGEST_DOUBT_MS = 3000;

/** A token bucket under an optional sliding window. */
export function createRateBudget(limits: RateLimits): RateBudget {
  let { burst, refillMs } = limits;
  let windowCount = limits.window?.count ?? 0;
  let available = burst;
  let updatedAt = Number.NEGATIVE_INFINITY;
  let bookings: Booking[] = [];

  const countedAt = ({ startedAt, answeredAt }: Booking, now: number) =>
    Math.min(answeredAt ?? now, startedAt + LONGEST_DOUBT_MS);

  const settle = (now: number) => {
    if (now <= updatedAt) return;
    available = Math.min(burst, available + (now - updatedAt) / refillMs);
    updatedAt = now;
    const { window } = limits;
    if (window) bookings = bookings.filter((booking) => countedAt(booking, now) > now - window.perMs);
  };

  const windowWaitMs = (now: number, reserve: number) => {
    if (!limits.window) return 0;
    const allowed = Math.max(1, windowCount - reserve);
    const times = bookings.map((booking) => countedAt(booking, now)).sort((a, b) => a - b);
    const blocking = times[times.length - allowed];
    return blocking === undefined ? 0 : Math.max(0, blocking + limits.window.perMs - now);
  };

  return {
    waitMs(now, reserve = 0, windowReserve = reserve) {
      settle(now);
      // A budget smaller than the reserve must still let something through.
      const needed = 1 + Math.min(reserve, burst - 1);
      const sinceUpdateMs = now - updatedAt;
      const bucketWaitMs = available >= needed ? 0 : (needed - available) * refillMs - sinceUpdateMs;
      return Math.ceil(Math.max(0, bucketWaitMs, -sinceUpdateMs, windowWaitMs(now, windowReserve)));
    },
    take(now, count = 1) {
      settle(now);
      available -= Math.min(count, burst);
      const booking: Booking = { startedAt: now, answeredAt: undefined };
      if (limits.window) bookings.push(...Array<Booking>(count).fill(booking));
      return (answeredAt) => {
        booking.answeredAt = answeredAt;
      };
    },
    drain(time) {
      available = 1;
      updatedAt = time;
    },
    setShare(now, share) {
      settle(now);
      burst = Math.max(1, limits.burst * share);
      refillMs = limits.refillMs / share;
      windowCount = Math.max(1, Math.floor((limits.window?.count ?? 0) * share));
      available = Math.min(available, burst);
    },
    isRested(now) {
      settle(now);
      return available >= burst && bookings.length === 0;
    },
  };
}
