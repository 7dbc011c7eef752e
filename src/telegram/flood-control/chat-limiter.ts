import type { CallPriority } from './call-priority.ts';
import type { LimitedCall } from './limited-call.ts';
import { type CountedCall, RateLimiter, type RateLimits } from './rate-limiter.ts';

/** Calls that low-priority calls leave available in the bucket, so that a more important call can start at once. */
const RESERVE: { readonly [priority in CallPriority]?: number } = { preview: 1, typing: 2, broadcast: 2 };
const FLOOD_MARGIN_MS = 250;
// The margin doubles with each consecutive 429: processes that share the token may prolong each other's wait.
const MAX_FLOOD_MARGIN_MS = 32_000;

/** Rate limit of one chat, with the pause after a 429. */
export class ChatLimiter {
  readonly #limiter: RateLimiter;
  #blockedUntil = 0;
  #floodsInARow = 0;
  #lastStartedAt = 0;

  constructor(limits: RateLimits) {
    this.#limiter = new RateLimiter(limits);
  }

  get lastStartedAt(): number {
    return this.#lastStartedAt;
  }

  /** Returns the milliseconds until the call may start. */
  waitMs(now: number, { priority, messageCount }: LimitedCall): number {
    const further = messageCount - 1;
    // A reserve in the window as well would leave long gaps between previews.
    const limiterMs = this.#limiter.waitMs(now, (RESERVE[priority] ?? 0) + further, further);
    return Math.max(this.#blockedUntil - now, limiterMs);
  }

  take(call: CountedCall): void {
    this.#limiter.take(call);
    this.#lastStartedAt = call.startedAt;
  }

  /** Pauses the chat after a 429. @returns the end of the pause. */
  recordFloodLimit(now: number, retryAfterMs: number): number {
    const until = now + retryAfterMs + Math.min(FLOOD_MARGIN_MS * 2 ** this.#floodsInARow, MAX_FLOOD_MARGIN_MS);
    this.#floodsInARow += 1;
    this.#blockedUntil = Math.max(this.#blockedUntil, until);
    this.#limiter.drain(this.#blockedUntil);
    return until;
  }

  /** Resets the count of consecutive 429s. */
  recordSuccess(): void {
    this.#floodsInARow = 0;
  }

  /** Returns true if the limiter holds no state and can be evicted. */
  isIdle(now: number): boolean {
    return this.#blockedUntil <= now && this.#limiter.isIdle(now);
  }
}
