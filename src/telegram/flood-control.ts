import type { Transformer } from 'grammy';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { createRateBudget, type RateBudget, type RateLimits } from './rate-budget.ts';
import { createTokenGate } from './token-gate.ts';

/**
 * What a call is worth, dearest first. `final` completes an answer, `interactive` answers a person's action, `page` is part of a
 * longer answer; these wait their turn. `preview`, `typing` and `announcement`, for which nobody waits, are passing: they go at once or
 * not at all.
 */
export type CallPriority = 'final' | 'interactive' | 'page' | 'preview' | 'typing' | 'announcement';

/** Whether a call goes at once or not at all. */
export function isPassing(priority: CallPriority): boolean {
  return RANK[priority] >= RANK.preview;
}

/** A call that was given up without being made (or, after a 429, without being executed). It is safe to make it again. */
export class DroppedCallError extends Error {
  override readonly name = 'DroppedCallError';
  readonly method: string;
  readonly reason: 'no-budget' | 'flood' | 'queue-full' | 'waited-too-long' | 'closed';
  /** When another try has a chance, from now. */
  readonly retryAfterMs: number;

  constructor(method: string, reason: DroppedCallError['reason'], retryAfterMs: number) {
    super(`${method} was not called: ${reason}`);
    this.method = method;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface FloodControlOptions {
  /** Calls to one private chat. Default about 1 a second, 4 at once, 6 in any 5 s (Bot FAQ: about one a second, short bursts). */
  readonly privateChat?: RateLimits;
  /** Calls to one group or channel, all topics together. Default 20 a minute, 5 at once (Bot FAQ: 20 a minute). */
  readonly group?: RateLimits;
  /** Drafts in one private chat. Default about 1 a second, 8 at once, 32 in any 30 s (Telegram: 20 in 5 s and 40 in 30 s, typing included). */
  readonly drafts?: RateLimits;
  /** Calls of the token to all chats together. Default 28 in any second (Bot FAQ: about 30). */
  readonly token?: RateLimits;
  /** Durable calls that may wait for one chat. Default 200. */
  readonly maxWaitingPerChat?: number;
  /** Durable calls that may wait in all. Default 10 000. */
  readonly maxWaiting?: number;
  /** The longest wait of a `final` or `page` call. Default 6 hours: penalties of hours have been seen. */
  readonly maxWaitMs?: number;
  /** The longest wait of an `interactive` call; nobody needs its answer later. Default 10 minutes. */
  readonly maxInteractiveWaitMs?: number;
}

/** What processes that use one token have to tell one another, so that together they keep its limits. */
export interface TokenSharing {
  /** This process's part of the token's rate, above 0 and at most 1. At first all of it. */
  setShare(share: number): void;
  /** Another process has heard that Telegram holds the token back for so long from now. */
  hold(forMs: number): void;
  /** Sets who hears when this process is told so. */
  onHeld(listener: (forMs: number) => void): void;
}

export interface FloodControl {
  readonly sharing: TokenSharing;
  /** A grammY transformer that paces the calls of one API object at this priority. */
  transformer(priority: CallPriority): Transformer;
  /** Rejects everything that waits and everything that comes, with `DroppedCallError`. */
  close(): void;
  /** Calls that wait, and chats whose state is in memory. */
  readonly load: { readonly waiting: number; readonly chats: number };
}

// Limits are counted at Telegram's door, not ours: a little slack absorbs calls that overtake each other on the way.
const PRIVATE_CHAT: RateLimits = { burst: 4, refillMs: 1050, window: { count: 6, perMs: 5010 } };
const GROUP: RateLimits = { burst: 5, refillMs: 3000, window: { count: 20, perMs: 60_500 } };
// `core.telegram.org/api/bots/ai`; the rest of the 40 is for typing, which counts as the same call.
const DRAFTS: RateLimits = { burst: 8, refillMs: 1000, window: { count: 32, perMs: 30_100 } };
// A small burst keeps calls spread over the second, so that what comes later is not shut out by what came first.
const TOKEN: RateLimits = { burst: 10, refillMs: 36, window: { count: 28, perMs: 1010 } };

const RANK: Record<CallPriority, number> = {
  final: 0,
  interactive: 1,
  page: 2,
  preview: 3,
  typing: 4,
  announcement: 5,
};
// What passing calls must leave untouched, so that a durable call finds room at once.
const CHAT_RESERVE: Record<CallPriority, number> = {
  final: 0,
  interactive: 0,
  page: 0,
  preview: 1,
  typing: 2,
  announcement: 2,
};
const TOKEN_RESERVE: Record<CallPriority, number> = {
  final: 0,
  interactive: 0,
  page: 0,
  preview: 4,
  typing: 6,
  announcement: 7,
};
// The first words of one answer matter more than further words of another.
const FIRST_PREVIEW_TOKEN_RESERVE = 2;

const LIMITED_METHOD = /^(send|edit|copy|forward|delete|stopPoll|stopMessage|pin|unpin)/;
const DRAFT_METHOD = /^send(Rich)?MessageDraft$/;
const DEFAULT_RETRY_AFTER_S = 3;
const FLOOD_MARGIN_MS = 250;
// Doubled with each refusal in a row: others that use the token may, by turns, make the wait longer for one another.
const LONGEST_FLOOD_MARGIN_MS = 32_000;
const LONGEST_TIMER_MS = 60_000;
const SHORTEST_DROP_RETRY_MS = 250;
const SWEEP_EVERY_MS = 60_000;

interface Call {
  readonly method: string;
  readonly priority: CallPriority;
  /** Messages that it sends, as Telegram counts them: each item of an album is one. 1 for all else. */
  readonly messageCount: number;
  readonly order: number;
  readonly expiresAt: number;
  readonly signal: AbortSignal | undefined;
}

/** A call that may go. */
interface Admission {
  /** It is the one that tries whether the token is free again. */
  readonly isTry: boolean;
  /** Its answer has come. */
  readonly answer: (now: number) => void;
}

interface Waiting extends Call {
  readonly start: (admission: Admission) => void;
  readonly fail: (error: unknown) => void;
}

interface ChatState {
  readonly key: string;
  readonly budget: RateBudget;
  readonly waiting: Waiting[];
  blockedUntil: number;
  /** Calls in a row that met a 429. */
  refusals: number;
  lastStartedAt: number;
}

/**
 * Keeps a token inside Telegram's limits: one budget per chat over sends, edits, typing and deletes, one for its drafts, one per token, and
 * silence inside a `retry_after` window. An album counts as many times as it has items. A 429 means that nothing was executed, so
 * durable calls are made again after it; no other failure is ever repeated here. Methods that are not limited (`getUpdates`,
 * `answerCallbackQuery`, …) pass untouched.
 */
export function createFloodControl(
  deps: { readonly clock: Clock; readonly logger: Logger },
  options: FloodControlOptions = {},
): FloodControl {
  const { clock, logger } = deps;
  const maxWaitingPerChat = options.maxWaitingPerChat ?? 200;
  const maxWaiting = options.maxWaiting ?? 10_000;
  const maxWaitMs = options.maxWaitMs ?? 6 * 60 * 60_000;
  const maxInteractiveWaitMs = options.maxInteractiveWaitMs ?? 10 * 60_000;

  const token = createTokenGate(options.token ?? TOKEN);
  const chats = new Map<string, ChatState>();
  const chatsWaiting = new Set<ChatState>();
  let waitingCount = 0;
  let nextOrder = 0;
  let cancelTimer: (() => void) | undefined;
  let sweptAt = clock.now();
  let isClosed = false;
  let toldUntil = 0;
  let tellHeld: (forMs: number) => void = () => {};

  const chatFor = (key: string): ChatState => {
    sweepIdleChats();
    let chat = chats.get(key);
    if (!chat) {
      chat = {
        key,
        budget: createRateBudget(findLimits(key, options)),
        waiting: [],
        blockedUntil: 0,
        refusals: 0,
        lastStartedAt: 0,
      };
      chats.set(key, chat);
    }
    return chat;
  };

  const sweepIdleChats = () => {
    const now = clock.now();
    if (now - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = now;
    for (const chat of chats.values()) {
      if (chat.waiting.length === 0 && chat.blockedUntil <= now && chat.budget.isRested(now)) chats.delete(chat.key);
    }
  };

  const chatWaitMs = (chat: ChatState, now: number, { priority, messageCount }: Call) => {
    const further = messageCount - 1;
    // A reserve in the bucket is enough: one in the window as well would leave long gaps between previews.
    const budgetMs = chat.budget.waitMs(now, CHAT_RESERVE[priority] + further, further);
    return Math.max(chat.blockedUntil - now, budgetMs);
  };

  const tokenWaitMs = (now: number, call: Call) => token.waitMs(now, tokenReserve(call) + call.messageCount - 1);

  const book = (chat: ChatState, now: number, { messageCount }: Call): Admission => {
    const answerChat = chat.budget.take(now, messageCount);
    chat.lastStartedAt = now;
    const { isTry, answer } = token.book(now, messageCount);
    return {
      isTry,
      answer: (answeredAt) => {
        answerChat(answeredAt);
        answer(answeredAt);
      },
    };
  };

  /** Goes at once or not at all. */
  const admitPassing = (chat: ChatState, call: Call): Admission => {
    const now = clock.now();
    const chatMs = chatWaitMs(chat, now, call);
    const tokenMs = tokenWaitMs(now, call);
    if (chatMs > 0 || tokenMs > 0 || chat.waiting.length > 0) {
      throw new DroppedCallError(call.method, 'no-budget', Math.max(chatMs, tokenMs, SHORTEST_DROP_RETRY_MS));
    }
    return book(chat, now, call);
  };

  /** Resolves when the call's turn has come. */
  const admitDurable = (chat: ChatState, call: Call): Promise<Admission> =>
    new Promise((resolve, reject) => {
      if (!makeRoom(chat, call)) return reject(new DroppedCallError(call.method, 'queue-full', 5000));
      const onAbort = () => {
        leave(chat, waiting);
        reject(call.signal?.reason);
        pump();
      };
      const stopListening = () => call.signal?.removeEventListener('abort', onAbort);
      const waiting: Waiting = {
        ...call,
        start: (admission) => {
          stopListening();
          resolve(admission);
        },
        fail: (error) => {
          stopListening();
          reject(error);
        },
      };
      call.signal?.addEventListener('abort', onAbort, { once: true });
      join(chat, waiting);
      pump();
    });

  /** Every queue has a bound; a final may take the place of the youngest call of lower rank. */
  const makeRoom = (chat: ChatState, call: Call): boolean => {
    if (chat.waiting.length < maxWaitingPerChat && waitingCount < maxWaiting) return true;
    const last = chat.waiting.at(-1);
    if (!last || RANK[last.priority] <= RANK[call.priority] || call.priority !== 'final') return false;
    leave(chat, last);
    last.fail(new DroppedCallError(last.method, 'queue-full', 5000));
    return true;
  };

  const join = (chat: ChatState, waiting: Waiting) => {
    const index = chat.waiting.findIndex((other) => isBefore(waiting, other));
    chat.waiting.splice(index < 0 ? chat.waiting.length : index, 0, waiting);
    chatsWaiting.add(chat);
    waitingCount += 1;
  };

  const leave = (chat: ChatState, waiting: Waiting) => {
    const index = chat.waiting.indexOf(waiting);
    if (index < 0) return;
    chat.waiting.splice(index, 1);
    waitingCount -= 1;
    if (chat.waiting.length === 0) chatsWaiting.delete(chat);
  };

  const rejectExpired = (now: number) => {
    for (const chat of [...chatsWaiting]) {
      for (const waiting of chat.waiting.filter((candidate) => candidate.expiresAt <= now)) {
        leave(chat, waiting);
        waiting.fail(new DroppedCallError(waiting.method, 'waited-too-long', chatWaitMs(chat, now, waiting)));
      }
    }
  };

  /** The chat to serve next: the dearest call, and among equals the chat that was served longest ago. */
  const pickNext = (now: number): { chat: ChatState; waiting: Waiting } | undefined => {
    let best: { chat: ChatState; waiting: Waiting } | undefined;
    for (const chat of chatsWaiting) {
      const [waiting] = chat.waiting;
      if (!waiting || chatWaitMs(chat, now, waiting) > 0) continue;
      const difference = best ? RANK[waiting.priority] - RANK[best.waiting.priority] : -1;
      if (!best || difference < 0 || (difference === 0 && isServedEarlier({ chat, waiting }, best))) {
        best = { chat, waiting };
      }
    }
    return best;
  };

  const pump = () => {
    cancelTimer?.();
    cancelTimer = undefined;
    const now = clock.now();
    rejectExpired(now);
    let next = pickNext(now);
    while (next && tokenWaitMs(now, next.waiting) <= 0) {
      leave(next.chat, next.waiting);
      next.waiting.start(book(next.chat, now, next.waiting));
      next = pickNext(now);
    }
    // What is next goes before the others also where the token has room for theirs alone: else an album might never go.
    const tokenMs = next ? tokenWaitMs(now, next.waiting) : token.waitMs(now, 0);
    if (chatsWaiting.size > 0) cancelTimer = clock.setTimer(nextChangeMs(now, tokenMs), pump);
  };

  const nextChangeMs = (now: number, tokenMs: number): number => {
    let readyMs = Number.POSITIVE_INFINITY;
    let expiryMs = Number.POSITIVE_INFINITY;
    for (const chat of chatsWaiting) {
      const [first] = chat.waiting;
      if (first) readyMs = Math.min(readyMs, chatWaitMs(chat, now, first));
      for (const waiting of chat.waiting) expiryMs = Math.min(expiryMs, waiting.expiresAt - now);
    }
    return Math.max(1, Math.min(Math.max(readyMs, tokenMs), expiryMs, LONGEST_TIMER_MS));
  };

  const noteFlood = (chat: ChatState, call: Call, retryAfterMs: number): number => {
    const now = clock.now();
    const until = now + retryAfterMs + Math.min(FLOOD_MARGIN_MS * 2 ** chat.refusals, LONGEST_FLOOD_MARGIN_MS);
    chat.refusals += 1;
    chat.blockedUntil = Math.max(chat.blockedUntil, until);
    chat.budget.drain(chat.blockedUntil);
    const isGlobal = token.noteFlood(chat.key, now, until);
    logger.warn({ method: call.method, priority: call.priority, retryAfterMs, isGlobal }, 'telegram asks to slow down');
    return until;
  };

  const tellIfHeld = () => {
    if (token.heldUntil <= toldUntil) return;
    toldUntil = token.heldUntil;
    tellHeld(toldUntil - clock.now());
  };

  const describeCall = (
    method: string,
    payload: object,
    priority: CallPriority,
    signal: AbortSignal | undefined,
  ): Call => ({
    method,
    priority,
    messageCount: countMessages(payload),
    order: nextOrder++,
    expiresAt: clock.now() + (priority === 'interactive' ? maxInteractiveWaitMs : maxWaitMs),
    signal,
  });

  return {
    sharing: {
      setShare(share) {
        token.setShare(clock.now(), share);
        pump();
      },
      hold(forMs) {
        token.hold(clock.now() + forMs);
        toldUntil = Math.max(toldUntil, token.heldUntil);
      },
      onHeld(listener) {
        tellHeld = listener;
      },
    },
    transformer: (priority) => async (prev, method, payload, signal) => {
      const key = limitedChat(method, payload);
      if (key === undefined) return prev(method, payload, signal);
      const call = describeCall(method, payload, priority, signal as AbortSignal | undefined);
      const mayNotWait = isPassing(priority);
      for (;;) {
        if (isClosed) throw new DroppedCallError(method, 'closed', 0);
        call.signal?.throwIfAborted();
        // Looked up anew each time: a long wait, or a long call, may have seen the state evicted.
        const chat = chatFor(key);
        const { isTry, answer } = mayNotWait ? admitPassing(chat, call) : await admitDurable(chat, call);
        let end: Parameters<typeof token.endTry>[0] = { isAnswered: false };
        try {
          const response = await prev(method, payload, signal);
          end = { isAnswered: true };
          const answered = chatFor(key);
          if (response.ok || response.error_code !== 429) {
            answered.refusals = 0;
            return response;
          }
          const retryAfterMs = (response.parameters?.retry_after ?? DEFAULT_RETRY_AFTER_S) * 1000;
          end = { isAnswered: true, refusedUntil: noteFlood(answered, call, retryAfterMs) };
          if (mayNotWait) throw new DroppedCallError(method, 'flood', retryAfterMs + FLOOD_MARGIN_MS);
        } finally {
          answer(clock.now());
          if (isTry) token.endTry(end);
          tellIfHeld();
          if (isTry || end.refusedUntil !== undefined) pump();
        }
      }
    },
    close() {
      isClosed = true;
      cancelTimer?.();
      for (const chat of [...chatsWaiting]) {
        for (const waiting of [...chat.waiting]) {
          leave(chat, waiting);
          waiting.fail(new DroppedCallError(waiting.method, 'closed', 0));
        }
      }
    },
    get load() {
      return { waiting: waitingCount, chats: chats.size };
    },
  };
}

function tokenReserve(call: Call): number {
  const isFirstPreview = call.priority === 'preview' && call.method === 'sendMessage';
  return isFirstPreview ? FIRST_PREVIEW_TOKEN_RESERVE : TOKEN_RESERVE[call.priority];
}

function isBefore(left: Call, right: Call): boolean {
  return (
    RANK[left.priority] - RANK[right.priority] < 0 || (left.priority === right.priority && left.order < right.order)
  );
}

function isServedEarlier(
  left: { chat: ChatState; waiting: Waiting },
  right: { chat: ChatState; waiting: Waiting },
): boolean {
  if (left.chat.lastStartedAt !== right.chat.lastStartedAt) return left.chat.lastStartedAt < right.chat.lastStartedAt;
  return left.waiting.order < right.waiting.order;
}

function countMessages(payload: object): number {
  const { media } = payload as { media?: unknown };
  return Array.isArray(media) ? Math.max(1, media.length) : 1;
}

function findLimits(key: string, { drafts, privateChat, group }: FloodControlOptions): RateLimits {
  if (key.startsWith('drafts:')) return drafts ?? DRAFTS;
  return key.startsWith('private:') ? (privateChat ?? PRIVATE_CHAT) : (group ?? GROUP);
}

/** The budget on which a call goes: of its chat, of the drafts there, or undefined where no limit applies. Users' ids are positive, those of groups negative. */
function limitedChat(method: string, payload: object): string | undefined {
  if (!LIMITED_METHOD.test(method)) return undefined;
  const { chat_id: chatId, inline_message_id: inlineMessageId } = payload as {
    chat_id?: number | string;
    inline_message_id?: string;
  };
  if (chatId !== undefined && DRAFT_METHOD.test(method)) return `drafts:${chatId}`;
  if (chatId !== undefined) return Number(chatId) > 0 ? `private:${chatId}` : `group:${chatId}`;
  return inlineMessageId === undefined ? undefined : `private:inline:${inlineMessageId}`;
}
