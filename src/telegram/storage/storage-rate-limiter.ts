import {
  BlobRefusedError,
  type RateLimitBudget,
  type RateLimitRoute,
  type RateLimitStore,
} from '../../core/storage/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import type { ChannelPair } from './storage-bot.ts';

/** Kind of call, most important first. */
export type StorageOperation = 'store' | 'remove' | 'replace';

export interface StorageRequest {
  readonly kind: StorageOperation;
  /** Acceptable pairs, at least one. */
  readonly pairs: readonly ChannelPair[];
  /** Size of the file to upload. */
  readonly sizeBytes?: number;
}

export interface StorageRateLimiterOptions {
  /** Calls of one bot per second, over all channels. Default 25 (Bot FAQ: about 30). */
  readonly callsPerSecond?: number;
  /** Maximum wait. Default 5 minutes. */
  readonly maxWaitMs?: number;
  /** Maximum number of waiting requests. Default 1000. */
  readonly maxWaiting?: number;
}

// Bot FAQ: 20 messages a minute, about one a second. Telegram counts on arrival: some slack absorbs network delays.
const MESSAGES: Omit<RateLimitBudget, 'key'> = { count: 20, perMs: 61_000, gapMs: 1000 };
// Telegram documents no limit for deletions.
const REMOVALS: Omit<RateLimitBudget, 'key'> = { count: 60, perMs: 60_000, gapMs: 200 };
// The hosted Bot API spaces files of one bot that have the same size 0.9 s apart (`Client.cpp` of telegram-bot-api).
const LARGE_FILES: Omit<RateLimitBudget, 'key'> = { count: 60, perMs: 60_000, gapMs: 950 };
const LARGE_FROM_BYTES = 100_000;
const RANK: Record<StorageOperation, number> = { store: 0, remove: 1, replace: 1 };
const FREEZE_MARGIN_MS = 250;
const SHORTEST_WAIT_MS = 5;
const LONGEST_TIMER_MS = 60_000;

interface Waiting {
  readonly request: StorageRequest;
  readonly routes: readonly RateLimitRoute[];
  /** Key shared by all requests that can use each other's slots. */
  readonly routesKey: string;
  readonly expiresAt: number;
  readonly resolve: (pair: ChannelPair) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Rate limiter of the storage bots. All processes that share the store of rates keep the limits together. Waiting
 * requests are served by kind, then in order of arrival.
 */
export class StorageRateLimiter {
  readonly #clock: Clock;
  readonly #paceStore: RateLimitStore;
  readonly #options: Required<StorageRateLimiterOptions>;
  #waiting: readonly Waiting[] = [];
  #cancelTimer: (() => void) | undefined;
  #isServing = false;
  /** Set when the waiting requests must be checked once more. */
  #isAskedAgain = false;
  #isClosed = false;

  constructor(
    deps: { readonly clock: Clock; readonly rateLimitStore: RateLimitStore },
    { callsPerSecond = 25, maxWaitMs = 5 * 60_000, maxWaiting = 1000 }: StorageRateLimiterOptions = {},
  ) {
    this.#clock = deps.clock;
    this.#paceStore = deps.rateLimitStore;
    this.#options = { callsPerSecond, maxWaitMs, maxWaiting };
  }

  /**
   * Waits until a call is allowed and returns the bot and channel to use.
   * @throws BlobRefusedError if the wait would be too long; the signal's reason.
   */
  async acquire(request: StorageRequest, signal: AbortSignal): Promise<ChannelPair> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new BlobRefusedError('the store is closed');
    if (this.#waiting.length >= this.#options.maxWaiting)
      throw new BlobRefusedError('too many files are waiting to be stored', { retryAfterMs: 60_000 });
    const { promise, resolve, reject } = Promise.withResolvers<ChannelPair>();
    const routes = request.pairs.map((pair) => toRoute(request, pair, this.#options.callsPerSecond));
    const routesKey = routes.map(({ budgets }) => budgets.map(({ key }) => key).join(' ')).join('\n');
    const entry = {
      request,
      routes,
      routesKey,
      expiresAt: this.#clock.now() + this.#options.maxWaitMs,
      resolve,
      reject,
    };
    const onAbort = () => {
      this.#leave(entry);
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#join(entry);
    void this.#pump();
    return promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  /** Records a 429: pauses this bot in this channel, and lowers its rate afterwards. */
  async recordFloodLimit(kind: StorageOperation, pair: ChannelPair, retryAfterMs: number): Promise<void> {
    const keys = [messagesKey(pair), ...(kind === 'remove' ? [removalsKey(pair)] : [])];
    for (const key of keys) await this.#paceStore.slowDown(key, retryAfterMs + FREEZE_MARGIN_MS);
  }

  /** Rejects all waiting requests. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#rejectAll(new BlobRefusedError('the store is closed'));
  }

  #join(entry: Waiting): void {
    const at = this.#waiting.findIndex((other) => RANK[other.request.kind] > RANK[entry.request.kind]);
    this.#waiting = this.#waiting.toSpliced(at < 0 ? this.#waiting.length : at, 0, entry);
  }

  #leave(entry: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== entry);
  }

  #rejectAll(error: BlobRefusedError): void {
    for (const entry of this.#waiting) entry.reject(error);
    this.#waiting = [];
  }

  /** Serves the waiting requests and sets a timer for the next possible one. */
  async #pump(): Promise<void> {
    this.#isAskedAgain = true;
    if (this.#isServing) return;
    this.#isServing = true;
    this.#cancelTimer?.();
    let nextMs = Number.POSITIVE_INFINITY;
    try {
      while (this.#isAskedAgain) {
        this.#isAskedAgain = false;
        nextMs = await this.#serve();
      }
    } catch (error) {
      this.#rejectAll(toRefusal(error));
    }
    this.#isServing = false;
    if (this.#waiting.length > 0)
      this.#cancelTimer = this.#clock.setTimer(Math.min(nextMs, LONGEST_TIMER_MS), () => void this.#pump());
  }

  /** Grants all available slots. Returns the milliseconds until the next check. */
  async #serve(): Promise<number> {
    const waitMsByRoutes = new Map<string, number>();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const entry of this.#waiting) {
      if (!this.#waiting.includes(entry)) continue;
      const waitMs = waitMsByRoutes.get(entry.routesKey) ?? (await this.#offer(entry));
      if (waitMs === 0) continue;
      waitMsByRoutes.set(entry.routesKey, waitMs);
      const leftMs = entry.expiresAt - this.#clock.now();
      if (waitMs > leftMs) this.#refuse(entry, waitMs);
      else nextMs = Math.min(nextMs, waitMs, leftMs);
    }
    return nextMs;
  }

  /** Returns the milliseconds to wait, 0 if a slot was granted. */
  async #offer(entry: Waiting): Promise<number> {
    const decision = await this.#paceStore.acquire(entry.routes);
    if (decision.kind === 'wait') return Math.max(SHORTEST_WAIT_MS, decision.waitMs);
    // The request may have been aborted in the meantime; then another one gets the slot.
    const taker = this.#waiting.includes(entry)
      ? entry
      : this.#waiting.find(({ routesKey }) => routesKey === entry.routesKey);
    const pair = taker?.request.pairs[decision.route];
    if (!taker || !pair) return 0;
    this.#leave(taker);
    taker.resolve(pair);
    return 0;
  }

  #refuse(entry: Waiting, retryAfterMs: number): void {
    this.#leave(entry);
    entry.reject(
      new BlobRefusedError('the rate limit of Telegram requires a longer wait than allowed', { retryAfterMs }),
    );
  }
}

function toRoute({ kind, sizeBytes = 0 }: StorageRequest, pair: ChannelPair, callsPerSecond: number): RateLimitRoute {
  const ofBot: RateLimitBudget = { key: `telegram:${pair.bot.id}`, count: callsPerSecond, perMs: 1000, gapMs: 0 };
  if (kind === 'remove') return { budgets: [{ key: removalsKey(pair), ...REMOVALS }, ofBot] };
  const messages = { key: messagesKey(pair), ...MESSAGES };
  const large = { key: `telegram:${pair.bot.id}:large`, ...LARGE_FILES };
  return { budgets: [messages, ofBot, ...(sizeBytes > LARGE_FROM_BYTES ? [large] : [])] };
}

function messagesKey({ bot, chatId }: ChannelPair): string {
  return `telegram:${bot.id}:${chatId}`;
}

function removalsKey(pair: ChannelPair): string {
  return `${messagesKey(pair)}:remove`;
}

function toRefusal(error: unknown): BlobRefusedError {
  return new BlobRefusedError(`the rate limiter failed: ${describeError(error)}`, { retryAfterMs: 5000, cause: error });
}
