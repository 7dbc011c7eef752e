import type { Update } from '@grammyjs/types';
import { ApiError } from '../api-error.ts';
import type { Clock } from '../clock.ts';

export type UpdateType = Exclude<keyof Update, 'update_id'>;

interface PollRequest {
  /** Confirms and removes all updates with a lower id. If negative, only that many of the newest are kept. */
  readonly offset: number;
  readonly limit: number;
  readonly timeoutMs: number;
}

/** Updates queued for one bot. */
export interface UpdateQueue {
  /** Types the bot wants; undefined means the default: all except `OPT_IN`. */
  allowedTypes: readonly string[] | undefined;
  readonly size: number;
  /** Id of the next update. */
  nextUpdateId: number;
  /** Queues an update, unless the bot doesn't want its type. `makeUpdate` gets the new update id. */
  push(type: UpdateType, makeUpdate: (updateId: number) => Update): void;
  /**
   * Long polling. A second poll ends the pending one.
   * @throws ApiError 409 in the poll that was ended; the signal's reason when it aborts.
   */
  poll(request: PollRequest, signal: AbortSignal): Promise<readonly Update[]>;
  /** Returns the queued updates, oldest first. */
  list(): readonly Update[];
  remove(updateId: number): void;
  clear(): void;
  /** Calls `listener` after every push until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

const OPT_IN: readonly string[] = ['chat_member', 'message_reaction', 'message_reaction_count'];

/** Keeps at most `capacity` updates; the oldest are dropped first. Ids start at a random number, as Telegram's do. */
export function createUpdateQueue(clock: Clock, firstUpdateId: number, capacity: number): UpdateQueue {
  let waiting: Update[] = [];
  let endWaitingPoll: (() => void) | undefined;
  const listeners = new Set<() => void>();

  const confirm = (offset: number) => {
    if (offset > 0) waiting = waiting.filter((update) => update.update_id >= offset);
    if (offset < 0) waiting = waiting.slice(offset);
  };

  /** Resolves at the first push, or after the timeout. */
  const waitForPush = (timeoutMs: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const finish = (settle: () => void) => {
        cancelTimer();
        listeners.delete(onPush);
        signal.removeEventListener('abort', onAbort);
        if (endWaitingPoll === onConflict) endWaitingPoll = undefined;
        settle();
      };
      const onPush = () => finish(resolve);
      const onAbort = () => finish(() => reject(signal.reason));
      const onConflict = () => finish(() => reject(new ApiError(409, CONFLICT)));
      const cancelTimer = clock.setTimer(timeoutMs, onPush);
      listeners.add(onPush);
      signal.addEventListener('abort', onAbort, { once: true });
      endWaitingPoll = onConflict;
    });

  return {
    allowedTypes: undefined,
    nextUpdateId: firstUpdateId,
    get size() {
      return waiting.length;
    },
    push(type, makeUpdate) {
      const wanted = this.allowedTypes ? this.allowedTypes.includes(type) : !OPT_IN.includes(type);
      if (!wanted) return;
      waiting.push(makeUpdate(this.nextUpdateId++));
      if (waiting.length > capacity) waiting.shift();
      for (const listener of [...listeners]) listener();
    },
    async poll(request, signal) {
      endWaitingPoll?.();
      confirm(request.offset);
      if (waiting.length === 0 && request.timeoutMs > 0 && !signal.aborted) {
        await waitForPush(request.timeoutMs, signal);
      }
      return waiting.slice(0, request.limit);
    },
    list: () => waiting,
    remove(updateId) {
      waiting = waiting.filter((update) => update.update_id !== updateId);
    },
    clear() {
      waiting = [];
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const CONFLICT = 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
