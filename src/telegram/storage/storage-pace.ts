import { BlobRefusedError, type PaceBudget, type PaceLane, type PaceStore } from '../../core/storage/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
import type { ChannelPair } from './storage-bot.ts';

/** What a turn is for, dearest first. */
export type TurnKind = 'store' | 'remove' | 'replace' | 'probe';

export interface TurnRequest {
  readonly kind: TurnKind;
  /** Any of these will do. At least one. */
  readonly pairs: readonly ChannelPair[];
  /** Of the file that goes along. */
  readonly sizeBytes?: number;
}

/** Who may call Telegram when. All processes that share the store of rates keep the pace together. */
export interface StoragePace {
  /**
   * Waits for a turn and says which bot may call in which channel.
   * @throws BlobRefusedError where it would take too long; the signal's reason.
   */
  takeTurn(request: TurnRequest, signal: AbortSignal): Promise<ChannelPair>;
  /** Telegram has refused a call: silence for that bot in that channel, and a slower pace afterwards. */
  noteFlood(kind: TurnKind, pair: ChannelPair, retryAfterMs: number): Promise<void>;
  /** Refuses everybody who waits. */
  close(): void;
}

export interface StoragePaceOptions {
  /** Calls of one bot a second, in all channels. Default 25 (Bot FAQ: about 30). */
  readonly callsPerSecond?: number;
  /** The longest wait for a turn. Default 5 minutes. */
  readonly maxWaitMs?: number;
  /** Turns that may be waited for. Default 1000. */
  readonly maxWaiting?: number;
}

// Bot FAQ: 20 messages a minute, about one a second. Telegram counts at its own door: a little slack absorbs delays on the way.
const MESSAGES: Omit<PaceBudget, 'key'> = { count: 20, perMs: 61_000, gapMs: 1000 };
// Deletions have no documented limit of their own.
const REMOVALS: Omit<PaceBudget, 'key'> = { count: 60, perMs: 60_000, gapMs: 200 };
// The hosted Bot API lets files of one bot that have the same size go 0.9 s apart (`Client.cpp` of telegram-bot-api).
const LARGE_FILES: Omit<PaceBudget, 'key'> = { count: 60, perMs: 60_000, gapMs: 950 };
const LARGE_FROM_BYTES = 100_000;
const RANK: Record<TurnKind, number> = { store: 0, remove: 1, replace: 1, probe: 2 };
const FREEZE_MARGIN_MS = 250;
const SHORTEST_WAIT_MS = 5;
const LONGEST_TIMER_MS = 60_000;

interface Waiting {
  readonly request: TurnRequest;
  readonly lanes: readonly PaceLane[];
  /** The same for all that can take each other's turns. */
  readonly lanesKey: string;
  readonly expiresAt: number;
  readonly resolve: (pair: ChannelPair) => void;
  readonly reject: (reason: unknown) => void;
}

/** Those who wait are served by what they want, then in the order in which they came. */
export function createStoragePace(
  deps: { readonly clock: Clock; readonly paceStore: PaceStore },
  options: StoragePaceOptions = {},
): StoragePace {
  const { clock, paceStore } = deps;
  const { callsPerSecond = 25, maxWaitMs = 5 * 60_000, maxWaiting = 1000 } = options;
  let waiting: readonly Waiting[] = [];
  let cancelTimer: (() => void) | undefined;
  let isServing = false;
  let isAskedAgain = false;
  let isClosed = false;

  const leave = (entry: Waiting) => {
    waiting = waiting.filter((other) => other !== entry);
  };
  const join = (entry: Waiting) => {
    const at = waiting.findIndex((other) => RANK[other.request.kind] > RANK[entry.request.kind]);
    waiting = waiting.toSpliced(at < 0 ? waiting.length : at, 0, entry);
  };
  const refuse = (entry: Waiting, retryAfterMs: number) => {
    leave(entry);
    entry.reject(new BlobRefusedError('Telegram asks for a pause that is too long to wait for', { retryAfterMs }));
  };

  /** Gives out what is free; the answer is when to look again. */
  const serve = async (): Promise<number> => {
    const waitMsByLanes = new Map<string, number>();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const entry of waiting) {
      if (!waiting.includes(entry)) continue;
      const waitMs = waitMsByLanes.get(entry.lanesKey) ?? (await offer(entry));
      if (waitMs === 0) continue;
      waitMsByLanes.set(entry.lanesKey, waitMs);
      const leftMs = entry.expiresAt - clock.now();
      if (waitMs > leftMs) refuse(entry, waitMs);
      else nextMs = Math.min(nextMs, waitMs, leftMs);
    }
    return nextMs;
  };

  /** 0 where a turn was given. */
  const offer = async (entry: Waiting): Promise<number> => {
    const turn = await paceStore.take(entry.lanes);
    if (turn.kind === 'wait') return Math.max(SHORTEST_WAIT_MS, turn.waitMs);
    // Who asked may have left in the meantime.
    const taker = waiting.includes(entry) ? entry : waiting.find(({ lanesKey }) => lanesKey === entry.lanesKey);
    const pair = taker?.request.pairs[turn.lane];
    if (!taker || !pair) return 0;
    leave(taker);
    taker.resolve(pair);
    return 0;
  };

  const pump = async (): Promise<void> => {
    isAskedAgain = true;
    if (isServing) return;
    isServing = true;
    cancelTimer?.();
    let nextMs = Number.POSITIVE_INFINITY;
    try {
      while (isAskedAgain) {
        isAskedAgain = false;
        nextMs = await serve();
      }
    } catch (error) {
      for (const entry of waiting) entry.reject(toRefusal(error));
      waiting = [];
    }
    isServing = false;
    if (waiting.length > 0) cancelTimer = clock.setTimer(Math.min(nextMs, LONGEST_TIMER_MS), () => void pump());
  };

  return {
    takeTurn: (request, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (isClosed) return reject(new BlobRefusedError('the store is closed'));
        if (waiting.length >= maxWaiting)
          return reject(new BlobRefusedError('too much waits to be stored', { retryAfterMs: 60_000 }));
        const lanes = request.pairs.map((pair) => toLane(request, pair, callsPerSecond));
        const onAbort = () => {
          leave(entry);
          reject(signal.reason);
        };
        const entry: Waiting = {
          request,
          lanes,
          lanesKey: lanes.map(({ budgets }) => budgets.map(({ key }) => key).join(' ')).join('\n'),
          expiresAt: clock.now() + maxWaitMs,
          resolve(pair) {
            signal.removeEventListener('abort', onAbort);
            resolve(pair);
          },
          reject(reason) {
            signal.removeEventListener('abort', onAbort);
            reject(reason);
          },
        };
        signal.addEventListener('abort', onAbort, { once: true });
        join(entry);
        void pump();
      }),
    async noteFlood(kind, pair, retryAfterMs) {
      const keys = [messagesKey(pair), ...(kind === 'remove' ? [removalsKey(pair)] : [])];
      for (const key of keys) await paceStore.slowDown(key, retryAfterMs + FREEZE_MARGIN_MS);
    },
    close() {
      isClosed = true;
      cancelTimer?.();
      for (const entry of waiting) entry.reject(new BlobRefusedError('the store is closed'));
      waiting = [];
    },
  };
}

function toLane({ kind, sizeBytes = 0 }: TurnRequest, pair: ChannelPair, callsPerSecond: number): PaceLane {
  const ofBot: PaceBudget = { key: `telegram:${pair.bot.id}`, count: callsPerSecond, perMs: 1000, gapMs: 0 };
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
  return new BlobRefusedError(`the pace is not known: ${describeError(error)}`, { retryAfterMs: 5000, cause: error });
}
