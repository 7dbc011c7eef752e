/** How many calls fit into a stretch of time. */
export interface RateLimits {
  /** Calls that may go at once after a rest. At least 1. */
  readonly burst: number;
  /** One more call every so many milliseconds. */
  readonly refillMs: number;
  /** A hard ceiling over a sliding stretch of time, where the platform has one. */
  readonly window?: { readonly count: number; readonly perMs: number };
}

/** A call as the limits count it. */
export interface CountedCall {
  readonly messageCount: number;
  readonly startedAt: number;
  /** Set by the caller when the response arrives. The platform counts the call at some moment before it. */
  answeredAt: number | undefined;
}

/** The platform has counted a call by then, also one that takes longer (an upload, say) or got lost. */
const MAX_UNCOUNTED_MS = 3000;

/** A token bucket with an optional sliding window. Times are milliseconds of the caller's clock. */
export class RateLimiter {
  readonly #limits: RateLimits;
  #share = 1;
  #available: number;
  #updatedAt = Number.NEGATIVE_INFINITY;
  /** Calls in the window, each once per message. */
  #calls: CountedCall[] = [];

  constructor(limits: RateLimits) {
    this.#limits = limits;
    this.#available = limits.burst;
  }

  /**
   * Milliseconds until a call may go that leaves `reserve` further calls available in the bucket, and `windowReserve` in the window;
   * 0 when it may go now. A reserve beyond the burst is cut.
   */
  waitMs(now: number, reserve: number, windowReserve = reserve): number {
    this.#refill(now);
    const needed = 1 + Math.min(reserve, this.#burst - 1);
    const sinceUpdateMs = now - this.#updatedAt;
    const bucketMs = this.#available >= needed ? 0 : (needed - this.#available) * this.#refillMs - sinceUpdateMs;
    return Math.ceil(Math.max(0, bucketMs, -sinceUpdateMs, this.#windowWaitMs(now, windowReserve)));
  }

  /** Counts a call that starts now. More messages than the burst empty the bucket; the window counts them all. */
  take(call: CountedCall): void {
    this.#refill(call.startedAt);
    this.#available -= Math.min(call.messageCount, this.#burst);
    if (this.#limits.window) this.#calls.push(...Array<CountedCall>(call.messageCount).fill(call));
  }

  /** Leaves one call, at `time`. */
  drain(time: number): void {
    this.#available = 1;
    this.#updatedAt = time;
  }

  /** Scales the limits, above 0 and at most 1: at least one call at once and one in a window remain. */
  setShare(now: number, share: number): void {
    this.#refill(now);
    this.#share = share;
    this.#available = Math.min(this.#available, this.#burst);
  }

  /** Whether the limiter is as good as new. */
  isIdle(now: number): boolean {
    this.#refill(now);
    return this.#available >= this.#burst && this.#calls.length === 0;
  }

  get #burst(): number {
    return Math.max(1, this.#limits.burst * this.#share);
  }

  get #refillMs(): number {
    return this.#limits.refillMs / this.#share;
  }

  #refill(now: number): void {
    if (now <= this.#updatedAt) return;
    this.#available = Math.min(this.#burst, this.#available + (now - this.#updatedAt) / this.#refillMs);
    this.#updatedAt = now;
    const { window } = this.#limits;
    if (window) this.#calls = this.#calls.filter((call) => latestCountAt(call, now) > now - window.perMs);
  }

  #windowWaitMs(now: number, reserve: number): number {
    const { window } = this.#limits;
    if (!window) return 0;
    const allowed = Math.max(1, Math.floor(window.count * this.#share) - reserve);
    const times = this.#calls.map((call) => latestCountAt(call, now)).sort((a, b) => a - b);
    const blocking = times[times.length - allowed];
    return blocking === undefined ? 0 : Math.max(0, blocking + window.perMs - now);
  }
}

function latestCountAt({ startedAt, answeredAt }: CountedCall, now: number): number {
  return Math.min(answeredAt ?? now, startedAt + MAX_UNCOUNTED_MS);
}
