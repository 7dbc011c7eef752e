import { createRateBudget, type RateLimits } from './rate-budget.ts';

/**
 * What all chats of one token share: a rate, and silence when Telegram holds the token as a whole back. Telegram does not say which of
 * its limits a 429 is about; several chats refused within a moment mean the token's. After the silence one call tries whether it is
 * over, alone: calling while it lasts makes it longer.
 */
export interface TokenGate {
  /** Milliseconds until a call may go that leaves `reserve` further ones untouched. */
  waitMs(now: number, reserve: number): number;
  /** Books a call that counts as `count`. `isTry` when it is the one that tries, whose end must be told to `endTry`. */
  book(now: number, count: number): { readonly isTry: boolean; readonly answer: (now: number) => void };
  /** A chat was refused until `until`. True when this means the token. */
  noteFlood(chatKey: string, now: number, until: number): boolean;
  /** Nothing may go until then: another process of the token was told so. */
  hold(until: number): void;
  /** This process's part of the rate, above 0 and at most 1. */
  setShare(now: number, share: number): void;
  /** The end of the last silence that the token as a whole was told. */
  readonly heldUntil: number;
  /** `refusedUntil` is given where the try met a 429; `isAnswered` is false where nobody knows. */
  endTry(result: { readonly isAnswered: boolean; readonly refusedUntil?: number }): void;
}

const GLOBAL_CHATS = 3;
const GLOBAL_WITHIN_MS = 2000;
/** A try that takes longer (an upload, say) is not waited for: another one goes. */
const LONGEST_TRY_MS = 30_000;

export function createTokenGate(limits: RateLimits): TokenGate {
  const budget = createRateBudget(limits);
  let state: 'open' | 'closed' | 'trying' = 'open';
  let blockedUntil = 0;
  let triesUntil = 0;
  let floods: { readonly chatKey: string; readonly at: number; readonly until: number }[] = [];

  return {
    waitMs(now, reserve) {
      const tryMs = state === 'trying' ? triesUntil - now : 0;
      return Math.max(0, tryMs, blockedUntil - now, budget.waitMs(now, reserve));
    },
    book(now, count) {
      const answer = budget.take(now, count);
      if (state === 'open') return { isTry: false, answer };
      state = 'trying';
      triesUntil = now + LONGEST_TRY_MS;
      return { isTry: true, answer };
    },
    noteFlood(chatKey, now, until) {
      floods = floods.filter((flood) => flood.chatKey !== chatKey && now - flood.at <= GLOBAL_WITHIN_MS);
      floods.push({ chatKey, at: now, until });
      if (floods.length < GLOBAL_CHATS) return false;
      // The earliest end: if the chats were refused for reasons of their own after all, little is lost.
      blockedUntil = Math.max(blockedUntil, Math.min(...floods.map((flood) => flood.until)));
      if (state === 'open') state = 'closed';
      return true;
    },
    hold(until) {
      blockedUntil = Math.max(blockedUntil, until);
      if (state === 'open') state = 'closed';
    },
    setShare: (now, share) => budget.setShare(now, share),
    get heldUntil() {
      return blockedUntil;
    },
    endTry({ isAnswered, refusedUntil }) {
      state = isAnswered && refusedUntil === undefined ? 'open' : 'closed';
      blockedUntil = Math.max(blockedUntil, refusedUntil ?? 0);
    },
  };
}
