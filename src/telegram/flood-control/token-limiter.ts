import type { CallPriority } from './call-priority.ts';
import type { LimitedCall } from './limited-call.ts';
import { type CountedCall, RateLimiter, type RateLimits } from './rate-limiter.ts';

export interface StartedCall extends CountedCall {
  /** True for the call that probes whether a token-wide pause is over; `endProbe` must follow. */
  readonly isProbe: boolean;
}

/** Calls that low-priority calls leave available, so that a more important call can start at once. */
const RESERVE: { readonly [priority in CallPriority]?: number } = { preview: 4, typing: 6, broadcast: 7 };
// The first preview of one answer matters more than further previews of another.
const FIRST_PREVIEW_RESERVE = 2;
/** Number of chats with a 429 within the time below that indicates a token-wide limit. */
const GLOBAL_FLOOD_CHATS = 3;
const GLOBAL_FLOOD_WITHIN_MS = 2000;
/** Timeout of a probe, after which another one may start (an upload may take longer). */
const MAX_PROBE_MS = 30_000;

/**
 * Rate limit of all calls of one token, with a pause after a token-wide 429. Telegram does not say which limit a 429 is
 * about; 429s in several chats at about the same time indicate the token's. After the pause a single call probes
 * whether it is over, since calls during the pause prolong it.
 */
export class TokenLimiter {
  readonly #limiter: RateLimiter;
  /** False from the start of a pause until a probe succeeds. */
  #isFree = true;
  #heldUntil = 0;
  #probingUntil = 0;
  #floods: { readonly chatKey: string; readonly at: number; readonly until: number }[] = [];

  constructor(limits: RateLimits) {
    this.#limiter = new RateLimiter(limits);
  }

  /** End of the latest pause. */
  get heldUntil(): number {
    return this.#heldUntil;
  }

  /** Returns the milliseconds until the call may start. */
  waitMs(now: number, { method, priority, messageCount }: LimitedCall): number {
    const isFirstPreview = priority === 'preview' && method === 'sendMessage';
    const reserve = isFirstPreview ? FIRST_PREVIEW_RESERVE : (RESERVE[priority] ?? 0);
    const pauseMs = Math.max(this.#heldUntil, this.#probingUntil) - now;
    return Math.max(pauseMs, this.#limiter.waitMs(now, reserve + messageCount - 1));
  }

  start(now: number, messageCount: number): StartedCall {
    const call = { messageCount, startedAt: now, answeredAt: undefined, isProbe: !this.#isFree };
    if (call.isProbe) this.#probingUntil = now + MAX_PROBE_MS;
    this.#limiter.take(call);
    return call;
  }

  /** Records a 429 of a chat that lasts until `until`. @returns true if it is token-wide. */
  recordFloodLimit(chatKey: string, now: number, until: number): boolean {
    this.#floods = this.#floods.filter(
      (flood) => flood.chatKey !== chatKey && now - flood.at <= GLOBAL_FLOOD_WITHIN_MS,
    );
    this.#floods.push({ chatKey, at: now, until });
    if (this.#floods.length < GLOBAL_FLOOD_CHATS) return false;
    // The earliest end: if each chat hit its own limit after all, the pause stays short.
    this.pause(Math.min(...this.#floods.map((flood) => flood.until)));
    return true;
  }

  /** Pauses all calls until that time. */
  pause(until: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, until);
    this.#isFree = false;
  }

  /** Ends a probe. @param refusedUntil end of the pause reported to the probe, if any. */
  endProbe(isAnswered: boolean, refusedUntil: number | undefined): void {
    this.#isFree = isAnswered && refusedUntil === undefined;
    this.#probingUntil = 0;
    this.#heldUntil = Math.max(this.#heldUntil, refusedUntil ?? 0);
  }

  /** Sets this process's share of the rate: above 0, at most 1. */
  setShare(now: number, share: number): void {
    this.#limiter.setShare(now, share);
  }
}
