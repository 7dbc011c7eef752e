import type { Transformer } from 'grammy';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { type CallPriority, isPassing } from './call-priority.ts';
import { CallQueue } from './call-queue.ts';
import { ChatLimiter } from './chat-limiter.ts';
import { DroppedCallError } from './dropped-call-error.ts';
import { type ChatLimit, countMessages, findChatLimit, type LimitedCall } from './limited-call.ts';
import type { RateLimits } from './rate-limiter.ts';
import { type StartedCall, TokenLimiter } from './token-limiter.ts';

export interface FloodControlOptions {
  /**
   * Calls to one private chat. Default about 1 a second, 4 at once, 6 in any 5 s (Bot FAQ: about one a second, short
   * bursts).
   */
  readonly privateChat?: RateLimits;
  /** Calls to one group or channel, all topics together. Default 20 a minute, 5 at once (Bot FAQ: 20 a minute). */
  readonly group?: RateLimits;
  /**
   * Drafts in one private chat. Default about 1 a second, 8 at once, 32 in any 30 s (Telegram allows 20 in 5 s and 40
   * in 30 s, including typing).
   */
  readonly drafts?: RateLimits;
  /** Calls of the token to all chats together. Default 28 in any second (Bot FAQ: about 30). */
  readonly token?: RateLimits;
  /** Maximum number of calls waiting for one chat. Default 200. */
  readonly maxWaitingPerChat?: number;
  /** Maximum number of waiting calls in total. Default 10 000. */
  readonly maxWaiting?: number;
  /** Maximum wait of a `final` or `page` call. Default 6 hours, since penalties of hours have been observed. */
  readonly maxWaitMs?: number;
  /** Maximum wait of an `interactive` call. Default 10 minutes. */
  readonly maxInteractiveWaitMs?: number;
}

// Telegram counts calls on arrival: some slack absorbs calls that overtake each other in the network.
const CHAT_LIMITS: { readonly [kind in ChatLimit['kind']]: RateLimits } = {
  privateChat: { burst: 4, refillMs: 1050, window: { count: 6, perMs: 5010 } },
  group: { burst: 5, refillMs: 3000, window: { count: 20, perMs: 60_500 } },
  // Source: `core.telegram.org/api/bots/ai`. The rest of the 40 is for typing, which counts as the same call.
  drafts: { burst: 8, refillMs: 1000, window: { count: 32, perMs: 30_100 } },
};
// A small burst spreads calls over the second, so that early calls do not exhaust it for later ones.
const TOKEN_LIMITS: RateLimits = { burst: 10, refillMs: 36, window: { count: 28, perMs: 1010 } };
const MAX_WAIT_MS = 6 * 60 * 60_000;
const MAX_INTERACTIVE_WAIT_MS = 10 * 60_000;
const DEFAULT_RETRY_AFTER_S = 3;
const RETRY_AFTER_MARGIN_MS = 250;
const EVICT_EVERY_MS = 60_000;

/**
 * Keeps a token within Telegram's limits: one per chat for sends, edits, typing and deletes, one for the chat's drafts,
 * one per token, and a pause of `retry_after` after each 429. Telegram does not execute a call that it answers with
 * 429, so calls that may wait are retried; no other failure is retried here. Methods without limits (`getUpdates`,
 * `answerCallbackQuery`, …) are not delayed.
 */
export class FloodControl {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #options: FloodControlOptions;
  readonly #token: TokenLimiter;
  readonly #queue: CallQueue;
  readonly #chats = new Map<string, ChatLimiter>();
  #evictedAt = 0;
  #nextSequence = 0;
  /** End of the latest token-wide pause that the other processes know of. */
  #pausedUntil = 0;
  #onPaused: (forMs: number) => void = () => {};

  constructor(
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
    options: FloodControlOptions = {},
  ) {
    const { token = TOKEN_LIMITS, maxWaitingPerChat = 200, maxWaiting = 10_000 } = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#options = options;
    this.#token = new TokenLimiter(token);
    this.#queue = new CallQueue({ clock, token: this.#token, maxWaitingPerChat, maxWaiting });
  }

  /** Number of waiting calls and of chats whose state is in memory. */
  get load(): { readonly waiting: number; readonly chats: number } {
    return { waiting: this.#queue.size, chats: this.#chats.size };
  }

  /** Returns a grammY transformer that rate-limits the calls of one API object at this priority. */
  transformer(priority: CallPriority): Transformer {
    return async (prev, method, payload, signal) => {
      const limit = findChatLimit(method, payload);
      if (!limit) return prev(method, payload, signal);
      const call = this.#describe(method, payload, priority, signal as AbortSignal | undefined);
      for (;;) {
        const started = await this.#queue.acquire(this.#getChat(limit), call);
        let isAnswered = false;
        let refusedUntil: number | undefined;
        try {
          const response = await prev(method, payload, signal);
          isAnswered = true;
          if (response.ok || response.error_code !== 429) {
            this.#getChat(limit).recordSuccess();
            return response;
          }
          const retryAfterMs = (response.parameters?.retry_after ?? DEFAULT_RETRY_AFTER_S) * 1000;
          refusedUntil = this.#recordFloodLimit(limit, call, retryAfterMs);
          if (isPassing(priority)) throw new DroppedCallError(method, 'flood', retryAfterMs + RETRY_AFTER_MARGIN_MS);
        } finally {
          this.#end(started, isAnswered, refusedUntil);
        }
      }
    };
  }

  /** Sets this process's share of the token's rate: above 0, at most 1. Default 1. */
  setShare(share: number): void {
    this.#token.setShare(this.#clock.now(), share);
    this.#queue.dispatch();
  }

  /** Pauses all calls because another process hit a limit of the token. */
  pause(forMs: number): void {
    this.#token.pause(this.#clock.now() + forMs);
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#token.heldUntil);
  }

  /** Sets the listener that is called when this process hits a limit of the token, with the length of the pause. */
  onPaused(listener: (forMs: number) => void): void {
    this.#onPaused = listener;
  }

  /** Rejects all waiting and future calls with `DroppedCallError`. */
  close(): void {
    this.#queue.close();
  }

  #describe(method: string, payload: object, priority: CallPriority, signal: AbortSignal | undefined): LimitedCall {
    const { maxWaitMs = MAX_WAIT_MS, maxInteractiveWaitMs = MAX_INTERACTIVE_WAIT_MS } = this.#options;
    const expiresAt = this.#clock.now() + (priority === 'interactive' ? maxInteractiveWaitMs : maxWaitMs);
    return {
      method,
      priority,
      messageCount: countMessages(payload),
      sequence: this.#nextSequence++,
      expiresAt,
      signal,
    };
  }

  /** Returns the limiter of a chat. Don't keep it across a wait: idle limiters are evicted. */
  #getChat({ kind, key }: ChatLimit): ChatLimiter {
    this.#evictIdleChats();
    const chat = this.#chats.get(key) ?? new ChatLimiter(this.#options[kind] ?? CHAT_LIMITS[kind]);
    this.#chats.set(key, chat);
    return chat;
  }

  #evictIdleChats(): void {
    const now = this.#clock.now();
    if (now - this.#evictedAt < EVICT_EVERY_MS) return;
    this.#evictedAt = now;
    for (const [key, chat] of this.#chats) if (!this.#queue.has(chat) && chat.isIdle(now)) this.#chats.delete(key);
  }

  /** Records a 429. @returns the end of the pause. */
  #recordFloodLimit(limit: ChatLimit, { method, priority }: LimitedCall, retryAfterMs: number): number {
    const now = this.#clock.now();
    const until = this.#getChat(limit).recordFloodLimit(now, retryAfterMs);
    const isGlobal = this.#token.recordFloodLimit(limit.key, now, until);
    this.#logger.warn({ method, priority, retryAfterMs, isGlobal }, 'Telegram rate limit reached; slowing down');
    return until;
  }

  #end(call: StartedCall, isAnswered: boolean, refusedUntil: number | undefined): void {
    call.answeredAt = this.#clock.now();
    if (call.isProbe) this.#token.endProbe(isAnswered, refusedUntil);
    if (this.#token.heldUntil > this.#pausedUntil) {
      this.#pausedUntil = this.#token.heldUntil;
      this.#onPaused(this.#pausedUntil - this.#clock.now());
    }
    if (call.isProbe || refusedUntil !== undefined) this.#queue.dispatch();
  }
}
