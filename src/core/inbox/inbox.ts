import type { Database } from '../../database/connect.ts';
import { BatchLoader } from '../../lib/batch-loader.ts';
import type { Clock } from '../../lib/clock.ts';
import { createId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import { noObserver, type Observer, observe } from '../../lib/observer.ts';
import { LaneWorker } from './lane-worker.ts';
import { createRoom } from './room.ts';
import type { HandlingContext } from './update-handler.ts';
import { createUpdateStore, type IncomingUpdate } from './update-store.ts';

export interface InboxDeps {
  readonly db: Database;
  /** The same database, for what is taken in: nothing else holds it up. Default `db`. */
  readonly urgentDb?: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Sees `updates received`, each `update` that is handled and each `database batch`. Default nobody. */
  readonly observer?: Observer | undefined;
}

export interface InboxOptions {
  /** Whose updates: the bot's Telegram id. */
  readonly botId: number;
  /** No other process uses the database: whatever was left over is of a process that is dead. */
  readonly isAlone: boolean;
  /**
   * Handles one update. What it throws means that nothing has come of it: it is handled again after a pause, three times at
   * most. What a process may have died of is begun again three times at most.
   */
  readonly handle: (payload: unknown, context: HandlingContext) => Promise<void>;
  /** Whether handling this would surely come to nothing: then it counts as taken, and is not kept. Where it throws, it is kept. Default never. */
  readonly isPointless?: (payload: unknown) => boolean;
  /**
   * A process has died while something went on in this lane. Called before anything more of the lane is handled; never throws.
   * The signal aborts when this process ends: what is not taken up by then is left to the next one.
   */
  readonly onTakenOver: (lane: number, signal: AbortSignal) => Promise<void>;
  /** Another process has taken this lane over, because this one seemed dead: whatever goes on there is to end without a word. Default nothing. */
  readonly onLost?: (lane: number) => void;
  /** Lanes where something goes on beside the handling of updates: other processes keep away from them. */
  readonly listBusyLanes: () => ReadonlySet<number>;
  /**
   * Something was taken in for lanes that other processes have; at most 200. Whoever has one should `wake`. Never throws.
   * Default: they find it by themselves, within `pollMs`.
   */
  readonly tellOthers?: (lanes: readonly number[]) => Promise<void>;
  /** How many processes have lanes, this one counted in any case. Called every `pollMs`; never where this one is alone. */
  readonly onWorkersCounted?: (count: number) => void;
  /** Updates that may wait in one lane. Default 200. */
  readonly maxWaitingPerLane?: number;
  /** Updates that may wait in all. Default 10 000. */
  readonly maxWaiting?: number;
  /** Lanes worked on at the same time. Default 64. */
  readonly maxConcurrent?: number;
  /** After this silence a process counts as dead, and others take its lanes. Default 15 s. */
  readonly leaseMs?: number;
  /** How often the database is asked for what other processes have taken in or left behind. Default 500 ms; alone 5 s. */
  readonly pollMs?: number;
}

/**
 * Updates between their arrival and their handling. What was taken in is in the database: it is handled once, in the order of its
 * lane, by one process at a time, also when the process that took it in is gone.
 */
export interface Inbox {
  /**
   * Keeps updates; once it has resolved they may be acknowledged. Repeated ones are recognised for a day.
   * @returns how many were taken, from the first: fewer than given where the inbox is full.
   */
  accept(updates: readonly IncomingUpdate[]): Promise<number>;
  /** Another process has taken something in for these lanes; those that this one does not have are none of its business. */
  wake(lanes: readonly number[]): void;
  /**
   * Writes as `accept` does, and keeps nothing.
   * @throws what `accept` would throw now.
   */
  tryToWrite(): Promise<void>;
  /** Updates of this bot that wait, in all processes together. */
  countWaiting(): Promise<number>;
  /** Begins to handle, with what was left over. To be called once; where it throws, nothing has begun, and it may be called again. */
  start(): Promise<void>;
  /** Begins nothing more. @returns how many handlers have not ended within `timeoutMs`. */
  drain(timeoutMs: number): Promise<number>;
  /** After `drain`, when nothing goes on in any lane any more: lets other processes have the lanes. */
  close(): Promise<void>;
}

const DEFAULT_LANE_BOUND = 200;
const DEFAULT_BOUND = 10_000;
const LEASE_MS = 15_000;
const POLL_MS = 500;
const POLL_ALONE_MS = 5000;
/** Arrivals that are written at once: of several requests, or one batch of a poll. */
const MAX_GATHERED = 100;

export function createInbox(deps: InboxDeps, options: InboxOptions): Inbox {
  const { maxWaitingPerLane = DEFAULT_LANE_BOUND, maxWaiting = DEFAULT_BOUND } = options;
  const { observer = noObserver } = deps;
  const store = createUpdateStore({ db: deps.db, botId: options.botId });
  const worker = new LaneWorker(
    { ...deps, store },
    {
      workerId: createId('worker_'),
      isAlone: options.isAlone,
      handle: (payload, context) => observe(observer, 'update', {}, () => options.handle(payload, context)),
      onTakenOver: options.onTakenOver,
      onLost: options.onLost ?? (() => {}),
      listBusyLanes: options.listBusyLanes,
      tellOthers: options.tellOthers ?? (async () => {}),
      onWorkersCounted: options.onWorkersCounted ?? (() => {}),
      maxConcurrent: options.maxConcurrent ?? 64,
      leaseMs: options.leaseMs ?? LEASE_MS,
      pollMs: options.pollMs ?? (options.isAlone ? POLL_ALONE_MS : POLL_MS),
      maxFollowing: maxWaitingPerLane,
    },
  );
  const intake = createUpdateStore({ db: deps.urgentDb ?? deps.db, botId: options.botId });
  const room = createRoom(
    { ...deps, store: intake },
    { perLane: maxWaitingPerLane, inAll: maxWaiting, isAlone: options.isAlone },
  );
  const intakes = new BatchLoader<readonly IncomingUpdate[], number>(
    (batches) =>
      observe(observer, 'database batch', { table: 'updates' }, async () => {
        const fitting = await room.fit(batches);
        await intake.add(fitting.flat());
        return fitting.map((batch) => batch.length);
      }),
    { maxBatchSize: MAX_GATHERED, maxInFlight: 1 },
  );

  // A malformed update must not keep those from arriving that came with it: its handling fails alone.
  const isPointless = (payload: unknown) => {
    try {
      return options.isPointless?.(payload) ?? false;
    } catch {
      return false;
    }
  };

  return {
    async accept(updates) {
      const kept = updates.filter(({ payload }) => !isPointless(payload));
      const keptCount = kept.length === 0 ? 0 : await intakes.load(kept);
      worker.wake(kept.slice(0, keptCount).map(({ lane }) => lane));
      const firstLeft = kept[keptCount];
      const count = firstLeft ? updates.indexOf(firstLeft) : updates.length;
      if (count > 0) observer.tell('updates received', { count });
      return count;
    },
    wake: (lanes) => worker.wakeOwn(lanes),
    tryToWrite: () => intake.tryToAdd(),
    countWaiting: async () => (await store.countWaiting()).total,
    start: () => worker.start(),
    drain: (timeoutMs) => worker.drain(timeoutMs),
    close: () => worker.close(),
  };
}
