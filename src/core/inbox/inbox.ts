import type { Database } from '../../database/connect.ts';
import { BatchLoader } from '../../lib/async/batch-loader.ts';
import type { Clock } from '../../lib/clock.ts';
import { createId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { noObserver, type Observer, observe } from '../../lib/log/observer.ts';
import { ChatLeases } from './chat-leases.ts';
import { ChatQueueWorker } from './chat-queue-worker.ts';
import { createCapacity } from './inbox-capacity.ts';
import type { HandlingContext } from './update-handler.ts';
import { createUpdateStore, type IncomingUpdate } from './update-store.ts';

export interface InboxDeps {
  readonly db: Database;
  /**
   * Another connection to the same database, for inserting updates without waiting for other statements. Default `db`.
   */
  readonly urgentDb?: Database;
  /** Leases under which updates are handled and work is recovered. Default: its own. */
  readonly chatLeases?: ChatLeases;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Observes `updates received`, each handled `update` and each `database batch`. Default: none. */
  readonly observer?: Observer | undefined;
}

/** Numbers of stored updates that are not handled yet, and of the chat queues that they are in. */
export interface WaitingUpdates {
  readonly updates: number;
  readonly chatQueues: number;
}

export interface InboxOptions {
  /** Telegram id of the bot that receives the updates. */
  readonly botId: number;
  /** No other process uses the database: all leftover work belongs to dead processes. */
  readonly isOnlyProcess: boolean;
  /**
   * Handles one update. If it throws, the update is retried after a pause, three attempts in all. After a crash of the
   * process the update is retried three times at most.
   */
  readonly handle: (payload: unknown, context: HandlingContext) => Promise<void>;
  /**
   * Returns true for an update whose handling has no effect: it is acknowledged without being stored. If it throws, the
   * update is stored. Default: false.
   */
  readonly hasNoEffect?: (payload: unknown) => boolean;
  /**
   * Called after the takeover of a chat queue from a dead process, before further updates of the queue are handled.
   * Never throws. The signal aborts when this process ends; recovery that is incomplete by then is left to the next
   * process.
   */
  readonly onTakenOver: (chatQueue: number, signal: AbortSignal) => Promise<void>;
  /**
   * Called when another process has taken over a chat queue because the lease of this one had expired: running work of
   * the chat must end without sending anything. Default: no-op.
   */
  readonly onLost?: (chatQueue: number) => void;
  /** Lists chat queues with work outside of update handling. They are not released to other processes. */
  readonly listBusyChatQueues: () => ReadonlySet<number>;
  /**
   * Notifies other processes of new updates in chat queues that they own, at most 200 queues a call. A process that
   * owns one calls `wake`. Never throws. Default: none, the owner finds the updates within `pollMs`.
   */
  readonly notifyOthers?: (chatQueues: readonly number[]) => Promise<void>;
  /**
   * Called every `pollMs` with the number of processes that own chat queues, including this one. Never called if
   * `isOnlyProcess`.
   */
  readonly onWorkersCounted?: (count: number) => void;
  /** Maximum number of waiting updates in one chat queue. Default 200. */
  readonly maxWaitingPerQueue?: number;
  /** Maximum number of waiting updates in all chat queues together. Default 10 000. */
  readonly maxWaiting?: number;
  /** Chat queues processed concurrently. Default 64. */
  readonly maxConcurrent?: number;
  /** Lifetime of a worker's lease without a heartbeat, after which others take over its chat queues. Default 15 s. */
  readonly leaseMs?: number;
  /**
   * Interval of polling the database for updates stored by other processes and for dead workers. Default 500 ms, or 5 s
   * if `isOnlyProcess`.
   */
  readonly pollMs?: number;
}

/**
 * Durable queue of updates between their arrival and their handling. Accepted updates are stored in the database. Each
 * is handled in the order of its chat queue, by one process at a time, even if the process that accepted it has died.
 */
export type Inbox = ReturnType<typeof createInbox>;

const DEFAULT_QUEUE_BOUND = 200;
const DEFAULT_BOUND = 10_000;
const LEASE_MS = 15_000;
const POLL_MS = 500;
const POLL_AS_ONLY_PROCESS_MS = 5000;
/** Maximum number of `accept` calls written by one statement. */
const MAX_GATHERED = 100;

export function createInbox(deps: InboxDeps, options: InboxOptions) {
  const { maxWaitingPerQueue = DEFAULT_QUEUE_BOUND, maxWaiting = DEFAULT_BOUND } = options;
  const { observer = noObserver } = deps;
  const store = createUpdateStore({ db: deps.db, botId: options.botId });
  const worker = new ChatQueueWorker(
    { ...deps, chatLeases: deps.chatLeases ?? new ChatLeases(), store },
    {
      workerId: createId('worker_'),
      isOnlyProcess: options.isOnlyProcess,
      handle: (payload, context) => observe(observer, 'update', {}, () => options.handle(payload, context)),
      onTakenOver: options.onTakenOver,
      onLost: options.onLost ?? (() => {}),
      listBusyChatQueues: options.listBusyChatQueues,
      notifyOthers: options.notifyOthers ?? (async () => {}),
      onWorkersCounted: options.onWorkersCounted ?? (() => {}),
      maxConcurrent: options.maxConcurrent ?? 64,
      leaseMs: options.leaseMs ?? LEASE_MS,
      pollMs: options.pollMs ?? (options.isOnlyProcess ? POLL_AS_ONLY_PROCESS_MS : POLL_MS),
      maxFollowing: maxWaitingPerQueue,
    },
  );
  const intake = createUpdateStore({ db: deps.urgentDb ?? deps.db, botId: options.botId });
  const capacity = createCapacity(
    { ...deps, store: intake },
    { perQueue: maxWaitingPerQueue, inAll: maxWaiting, isOnlyProcess: options.isOnlyProcess },
  );
  const intakes = new BatchLoader<readonly IncomingUpdate[], number>(
    (batches) =>
      observe(observer, 'database batch', { table: 'updates' }, async () => {
        const fitting = await capacity.fit(batches);
        await intake.add(fitting.flat());
        return fitting.map((batch) => batch.length);
      }),
    { maxBatchSize: MAX_GATHERED, maxInFlight: 1 },
  );

  // A malformed update must not block the others of its batch: it is stored, and only its own handling fails.
  const hasNoEffect = (payload: unknown) => {
    try {
      return options.hasNoEffect?.(payload) ?? false;
    } catch {
      return false;
    }
  };

  return {
    /**
     * Stores updates; they may be acknowledged to Telegram when it resolves. Updates stored within the last day are
     * recognized by their ids and not stored again.
     * @returns the number of accepted updates, counted from the first; fewer than given if the inbox is full.
     */
    async accept(updates: readonly IncomingUpdate[]): Promise<number> {
      const effective = updates.filter(({ payload }) => !hasNoEffect(payload));
      const storedCount = effective.length === 0 ? 0 : await intakes.load(effective);
      worker.wake(effective.slice(0, storedCount).map(({ chatQueue }) => chatQueue));
      const firstLeft = effective[storedCount];
      const count = firstLeft ? updates.indexOf(firstLeft) : updates.length;
      if (count > 0) observer.emit('updates received', { count });
      return count;
    },
    /** Processes new updates that another process has stored. Chat queues that this process doesn't own are ignored. */
    wake: (chatQueues: readonly number[]): void => worker.wakeOwn(chatQueues),
    /**
     * Inserts a test row as `accept` does and rolls it back.
     * @throws the error that `accept` would throw now.
     */
    tryToWrite: (): Promise<void> => intake.tryToAdd(),
    /** Counts the waiting updates of this bot in all processes. */
    async countWaiting(): Promise<WaitingUpdates> {
      const { total, byChatQueue } = await store.countWaiting();
      return { updates: total, chatQueues: byChatQueue.size };
    },
    /**
     * Starts handling, beginning with leftover updates. Must be called once; if it throws, nothing has started, and it
     * may be called again.
     */
    start: (): Promise<void> => worker.start(),
    /**
     * Stops starting handlers and waits for the running ones.
     * @returns the number of handlers still running after `timeoutMs`.
     */
    drain: (timeoutMs: number): Promise<number> => worker.drain(timeoutMs),
    /** Releases the chat queues to other processes. Call after `drain`, when no work is left. */
    close: (): Promise<void> => worker.close(),
  };
}
