import type { Clock } from '../../lib/clock.ts';
import { comparePriorities, isPassing } from './call-priority.ts';
import type { ChatLimiter } from './chat-limiter.ts';
import { DroppedCallError } from './dropped-call-error.ts';
import type { LimitedCall } from './limited-call.ts';
import type { StartedCall, TokenLimiter } from './token-limiter.ts';

export interface CallQueueParams {
  readonly clock: Clock;
  readonly token: TokenLimiter;
  readonly maxWaitingPerChat: number;
  readonly maxWaiting: number;
}

interface WaitingCall extends LimitedCall {
  readonly chat: ChatLimiter;
  readonly start: (call: StartedCall) => void;
  readonly fail: (error: unknown) => void;
}

const MIN_RETRY_AFTER_DROP_MS = 250;
const RETRY_AFTER_FULL_QUEUE_MS = 5000;
/** Upper bound of one timer, because the machine's clock may be set forward in the meantime. */
const MAX_TIMER_MS = 60_000;

/**
 * Queue that starts calls as soon as the limits of their chat and of the token allow. Within a chat the highest
 * priority starts first, then the oldest call; among chats the highest priority, then the chat served longest ago. If
 * the next call needs more of the token's limit than is available, the others wait for it; otherwise an album might
 * never start.
 */
export class CallQueue {
  readonly #params: CallQueueParams;
  /** Calls of each chat in starting order. Chats without waiting calls have no entry. */
  readonly #waiting = new Map<ChatLimiter, WaitingCall[]>();
  #cancelTimer: (() => void) | undefined;
  #isClosed = false;

  constructor(params: CallQueueParams) {
    this.#params = params;
  }

  get size(): number {
    return this.#listWaiting().length;
  }

  has(chat: ChatLimiter): boolean {
    return this.#waiting.has(chat);
  }

  /**
   * Resolves when the call may be made.
   * @throws {DroppedCallError}, the reason of the call's signal
   */
  async acquire(chat: ChatLimiter, call: LimitedCall): Promise<StartedCall> {
    if (this.#isClosed) throw new DroppedCallError(call.method, 'closed', 0);
    call.signal?.throwIfAborted();
    return isPassing(call.priority) ? this.#acquireNow(chat, call) : await this.#wait(chat, call);
  }

  /** Starts all calls that the limits allow and sets a timer for the others. */
  dispatch(): void {
    const { clock, token } = this.#params;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const now = clock.now();
    this.#dropExpired(now);
    let next = this.#findNext(now);
    while (next && token.waitMs(now, next) <= 0) {
      this.#remove(next);
      next.start(this.#start(next.chat, next, now));
      next = this.#findNext(now);
    }
    if (this.#waiting.size === 0) return;
    const startMs = next ? token.waitMs(now, next) : this.#shortestChatWaitMs(now);
    const expiryMs = Math.min(...this.#listWaiting().map((call) => call.expiresAt - now));
    this.#cancelTimer = clock.setTimer(Math.max(1, Math.min(startMs, expiryMs, MAX_TIMER_MS)), () => this.dispatch());
  }

  /** Drops all waiting and future calls. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    for (const call of this.#listWaiting()) this.#drop(call, 'closed', 0);
  }

  #acquireNow(chat: ChatLimiter, call: LimitedCall): StartedCall {
    const now = this.#params.clock.now();
    const waitMs = Math.max(chat.waitMs(now, call), this.#params.token.waitMs(now, call));
    if (waitMs <= 0 && !this.#waiting.has(chat)) return this.#start(chat, call, now);
    throw new DroppedCallError(call.method, 'no-budget', Math.max(waitMs, MIN_RETRY_AFTER_DROP_MS));
  }

  async #wait(chat: ChatLimiter, call: LimitedCall): Promise<StartedCall> {
    this.#freeCapacity(chat, call);
    const { promise, resolve, reject } = Promise.withResolvers<StartedCall>();
    const waiting: WaitingCall = { ...call, chat, start: resolve, fail: reject };
    const onAbort = () => {
      this.#remove(waiting);
      reject(call.signal?.reason);
      this.dispatch();
    };
    call.signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiting.set(chat, [...(this.#waiting.get(chat) ?? []), waiting].sort(compareInChat));
    this.dispatch();
    try {
      return await promise;
    } finally {
      call.signal?.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Enforces both bounds of the queue. A `final` call replaces the last call of its chat if that has a lower priority.
   */
  #freeCapacity(chat: ChatLimiter, call: LimitedCall): void {
    const { maxWaitingPerChat, maxWaiting } = this.#params;
    const inChat = this.#waiting.get(chat) ?? [];
    if (inChat.length < maxWaitingPerChat && this.size < maxWaiting) return;
    const last = inChat.at(-1);
    const isReplaceable = call.priority === 'final' && last !== undefined && last.priority !== 'final';
    if (!isReplaceable) throw new DroppedCallError(call.method, 'queue-full', RETRY_AFTER_FULL_QUEUE_MS);
    this.#drop(last, 'queue-full', RETRY_AFTER_FULL_QUEUE_MS);
  }

  #start(chat: ChatLimiter, { messageCount }: LimitedCall, now: number): StartedCall {
    const started = this.#params.token.start(now, messageCount);
    chat.take(started);
    return started;
  }

  #findNext(now: number): WaitingCall | undefined {
    let next: WaitingCall | undefined;
    for (const [chat, [first]] of this.#waiting) {
      if (!first || chat.waitMs(now, first) > 0) continue;
      if (!next || compareAmongChats(first, next) < 0) next = first;
    }
    return next;
  }

  #shortestChatWaitMs(now: number): number {
    return Math.min(...[...this.#waiting].map(([chat, [first]]) => (first ? chat.waitMs(now, first) : Infinity)));
  }

  #dropExpired(now: number): void {
    for (const call of this.#listWaiting()) {
      if (call.expiresAt <= now) this.#drop(call, 'waited-too-long', call.chat.waitMs(now, call));
    }
  }

  #drop(call: WaitingCall, reason: DroppedCallError['reason'], retryAfterMs: number): void {
    this.#remove(call);
    call.fail(new DroppedCallError(call.method, reason, retryAfterMs));
  }

  #remove(call: WaitingCall): void {
    const left = (this.#waiting.get(call.chat) ?? []).filter((other) => other !== call);
    if (left.length > 0) this.#waiting.set(call.chat, left);
    else this.#waiting.delete(call.chat);
  }

  #listWaiting(): readonly WaitingCall[] {
    return [...this.#waiting.values()].flat();
  }
}

function compareInChat(left: LimitedCall, right: LimitedCall): number {
  return comparePriorities(left.priority, right.priority) || left.sequence - right.sequence;
}

function compareAmongChats(left: WaitingCall, right: WaitingCall): number {
  return (
    comparePriorities(left.priority, right.priority) ||
    left.chat.lastStartedAt - right.chat.lastStartedAt ||
    left.sequence - right.sequence
  );
}
