/** Limits of a token bucket with an optional sliding window. */
export interface RateLimits {
  /** Capacity of the bucket: calls that may start at once when it is full. At least 1. */
  readonly burst: number;
  /** Milliseconds until one more call becomes available. */
  readonly refillMs: number;
  /** Maximum number of calls in a sliding window, where the platform has one. */
  readonly window?: { readonly count: number; readonly perMs: number };
}

/** A call as counted by the limits. */
export interface CountedCall {
  readonly messageCount: number;
  readonly startedAt: number;
  /** Set by the caller when the response arrives. The platform counts the call at some moment before that. */
  answeredAt: number | undefined;
}

/** After this time the platform has counted a call, even one that takes longer (such as an upload) or got lost. */
const MAX_UNCOUNTED_MS = 3000;

/** Token bucket with an optional sliding window. Times are milliseconds of the caller's clock. */
export class RateLimiter {
  readonly #limits: RateLimits;
  #share = 1;
  #available: number;
  #updatedAt = Number.NEGATIVE_INFINITY;
  /** Calls in the window; a call occurs once for each of its messages. */
  #calls: CountedCall[] = [];

  constructor(limits: RateLimits) {
    this.#limits = limits;
    this.#available = limits.burst;
  }

  /**
   * Returns the milliseconds until a call may start that leaves `reserve` further calls available in the bucket and
   * `windowReserve` in the window; 0 if it may start now. A reserve above the burst is reduced to it.
   */
  waitMs(now: number, reserve: number, windowReserve = reserve): number {
    this.#refill(now);
    const needed = 1 + Math.min(reserve, this.#burst - 1);
    const sinceUpdateMs = now - this.#updatedAt;
    const bucketMs = this.#available >= needed ? 0 : (needed - this.#available) * this.#refillMs - sinceUpdateMs;
    return Math.ceil(Math.max(0, bucketMs, -sinceUpdateMs, this.#windowWaitMs(now, windowReserve)));
  }

  /**
   * Counts a call that starts now. A call with more messages than the burst empties the bucket; the window counts each
   * message.
   */
  take(call: CountedCall): void {
    this.#refill(call.startedAt);
    this.#available -= Math.min(call.messageCount, this.#burst);
    if (this.#limits.window) this.#calls.push(...Array<CountedCall>(call.messageCount).fill(call));
  }

  /** Empties the bucket except for one call, available at `time`. */
  drain(time: number): void {
    this.#available = 1;
    this.#updatedAt = time;
  }

  /**
   * Scales the limits by a factor above 0 and at most 1. At least one call in the bucket and one in the window remain.
   */
  setShare(now: number, share: number): void {
    this.#refill(now);
    this.#share = share;
    this.#available = Math.min(this.#available, this.#burst);
  }

  /** Returns true if the bucket is full and the window empty. */
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
