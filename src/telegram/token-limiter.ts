import type { CallPriority } from './call-priority.ts';
import type { LimitedCall } from './limited-call.ts';
import { type CountedCall, RateLimiter, type RateLimits } from './rate-limiter.ts';

/** A started call. */
export interface StartedCall extends CountedCall {
  /** It finds out whether a pause of the token is over: `endProbe` must follow. */
  readonly isProbe: boolean;
}

/** Calls that passing calls leave available, so that a more important call can start at once. */
const RESERVE: { readonly [priority in CallPriority]?: number } = { preview: 4, typing: 6, announcement: 7 };
// The first words of one answer matter more than further words of another.
const FIRST_PREVIEW_RESERVE = 2;
/** Chats with a 429 within this time that mean a limit of the token. */
const GLOBAL_FLOOD_CHATS = 3;
const GLOBAL_FLOOD_WITHIN_MS = 2000;
/** A probe that takes longer (an upload, say) is followed by another one. */
const MAX_PROBE_MS = 30_000;

/**
 * Rate limit of all calls of one token, with the pause after a 429 that concerns the token as a whole. Telegram does not say which
 * limit a 429 is about; several chats refused at about the same time mean the token's. After the pause a single call probes whether
 * it is over, since calls during the pause prolong it.
 */
export class TokenLimiter {
  readonly #limiter: RateLimiter;
  /** No pause since the last probe. */
  #isFree = true;
  #heldUntil = 0;
  #probingUntil = 0;
  #floods: { readonly chatKey: string; readonly at: number; readonly until: number }[] = [];

  constructor(limits: RateLimits) {
    this.#limiter = new RateLimiter(limits);
  }

  /** The end of the last pause. */
  get heldUntil(): number {
    return this.#heldUntil;
  }

  /** Milliseconds until the call may start. */
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

  /** Notes a 429 of a chat that lasts until `until`. @returns whether it concerns the token. */
  noteFlood(chatKey: string, now: number, until: number): boolean {
    this.#floods = this.#floods.filter(
      (flood) => flood.chatKey !== chatKey && now - flood.at <= GLOBAL_FLOOD_WITHIN_MS,
    );
    this.#floods.push({ chatKey, at: now, until });
    if (this.#floods.length < GLOBAL_FLOOD_CHATS) return false;
    // The earliest end: if each chat was refused for its own limit after all, little is lost.
    this.hold(Math.min(...this.#floods.map((flood) => flood.until)));
    return true;
  }

  /** Pauses all calls until then. */
  hold(until: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, until);
    this.#isFree = false;
  }

  /** @param refusedUntil end of the pause that the probe met, if any. */
  endProbe(isAnswered: boolean, refusedUntil: number | undefined): void {
    this.#isFree = isAnswered && refusedUntil === undefined;
    this.#probingUntil = 0;
    this.#heldUntil = Math.max(this.#heldUntil, refusedUntil ?? 0);
  }

  /** Sets this process's share of the rate, above 0 and at most 1. */
  setShare(now: number, share: number): void {
    this.#limiter.setShare(now, share);
  }
}
