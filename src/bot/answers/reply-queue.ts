import type { Place } from '../../core/conversations/index.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { isWithin, toPlaceKey, type WorkScope } from '../place.ts';

/** One answer that is to be written. */
export interface ReplyJob {
  readonly place: Place;
  /** Who asked. */
  readonly personId: number;
  /** The answer's message id in the database. */
  readonly answerId: number;
}

/** Why a reply was cut short: the reason of its signal. */
export class ReplyStoppedError extends Error {
  override readonly name = 'ReplyStoppedError';
  /** `person` pressed Stop; `shutdown` ended the process; `chat` takes no messages any more; `other-process` writes it now; `new-question`: it is written anew. */
  readonly by: 'person' | 'shutdown' | 'chat' | 'other-process' | 'new-question';
  constructor(by: ReplyStoppedError['by']) {
    super(`The reply was stopped by ${by}`);
    this.by = by;
  }
}

/** Whether another process writes the answer now. */
export function isElsewhere(stop: AbortSignal): boolean {
  return stop.aborted && stop.reason instanceof ReplyStoppedError && stop.reason.by === 'other-process';
}

export interface ReplyQueue<Job extends ReplyJob> {
  /** How a further job of this place would fare now. */
  readonly outlook: (place: Place) => 'at-once' | 'waits' | 'full' | 'busy';
  /** Chats with jobs. */
  listBusyChats(): ReadonlySet<number>;
  isUnderWay(answerId: number): boolean;
  /** The jobs of a place in their order, the running one first. */
  listJobs(place: Place): readonly Job[];
  /**
   * Takes a job whose outlook is good. Its writing starts when the ones before it in its place have ended; after `close` it never
   * does, and its chat stays busy.
   */
  submit(job: Job): void;
  /** Ends the person's running replies there and drops the person's waiting ones. `answerId` narrows it to one answer. */
  stop(
    scope: WorkScope,
    personId: number,
    answerId?: number,
  ): { readonly stoppedCount: number; readonly dropped: readonly Job[] };
  /** Whether something of the person's runs there, and is not stopped yet, or waits. */
  hasWork(scope: WorkScope, personId: number): boolean;
  /** Resolves when all replies of the person that run now have ended. */
  whenEnded(personId: number): Promise<void>;
  /** Drops the person's waiting ones and lets the running one be. */
  dropWaiting(place: Place, personId: number): readonly Job[];
  /** Another process works for this chat now: what runs is cut, what waits is dropped. */
  abandon(chatId: number): void;
  /**
   * Lets replies end for `graceMs`, then calls `onCut` and cuts them. Resolves when nothing runs any more. Nothing is taken afterwards.
   */
  close(graceMs: number, onCut?: () => void): Promise<void>;
}

export interface ReplyQueueDeps<Job extends ReplyJob> {
  /** Writes one answer to its end, also to an early one when the signal aborts with a `ReplyStoppedError`. */
  readonly write: (job: Job, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ReplyQueueOptions {
  /** Jobs of one place that wait behind the running one. Default 5. */
  readonly maxWaiting?: number;
  /** Places where replies are written at the same time. Default 1000: each takes some 50 KiB and a connection to a provider. */
  readonly maxPlaces?: number;
}

interface Lane<Job> {
  readonly waiting: Job[];
  current: { readonly job: Job; readonly abort: AbortController; readonly ended: Promise<void> } | undefined;
}

export const MAX_WAITING_REPLIES = 5;

/** Writes one reply at a time per place, in order, beside the handling of updates: otherwise nobody could be told to stop. */
export function createReplyQueue<Job extends ReplyJob>(
  deps: ReplyQueueDeps<Job>,
  options: ReplyQueueOptions = {},
): ReplyQueue<Job> {
  const { maxWaiting = MAX_WAITING_REPLIES, maxPlaces = 1000 } = options;
  const lanes = new Map<string, Lane<Job>>();
  const running = new Set<Promise<void>>();
  /** Chats of jobs that came too late. */
  const chatsLeft = new Set<number>();
  let isClosed = false;
  let isShutDown = false;

  const write = async (lane: Lane<Job>, job: Job) => {
    const abort = new AbortController();
    const end = Promise.withResolvers<void>();
    lane.current = { job, abort, ended: end.promise };
    if (isShutDown) abort.abort(new ReplyStoppedError('shutdown'));
    try {
      await deps.write(job, abort.signal);
    } catch (error) {
      deps.logger.error({ err: error, answerId: job.answerId }, 'a reply could not be written');
    }
    lane.current = undefined;
    end.resolve();
  };

  const work = async (key: string, lane: Lane<Job>) => {
    for (let job = lane.waiting.shift(); job; job = lane.waiting.shift()) await write(lane, job);
    lanes.delete(key);
  };

  const toJobs = ({ current, waiting }: Lane<Job>) => (current ? [current.job, ...waiting] : waiting);
  const listJobs = () => [...lanes.values()].flatMap(toJobs);

  const listRunning = () => [...lanes.values()].flatMap(({ current }) => current ?? []);
  const isOf = (job: Job, scope: WorkScope, personId: number) =>
    job.personId === personId && isWithin(job.place, scope);

  const takeOut = (lane: Lane<Job>, isMeant: (job: Job) => boolean): readonly Job[] => {
    const dropped = lane.waiting.filter(isMeant);
    lane.waiting.splice(0, Number.POSITIVE_INFINITY, ...lane.waiting.filter((job) => !isMeant(job)));
    return dropped;
  };

  return {
    outlook(place) {
      if (isClosed) return 'busy';
      const lane = lanes.get(toPlaceKey(place));
      if (!lane) return lanes.size < maxPlaces ? 'at-once' : 'busy';
      return lane.waiting.length < maxWaiting ? 'waits' : 'full';
    },
    listBusyChats: () => new Set([...listJobs().map((job) => job.place.chatId), ...chatsLeft]),
    isUnderWay: (answerId) => listJobs().some((job) => job.answerId === answerId),
    listJobs(place) {
      const lane = lanes.get(toPlaceKey(place));
      return lane ? toJobs(lane) : [];
    },
    submit(job) {
      if (isClosed) {
        chatsLeft.add(job.place.chatId);
        return;
      }
      const key = toPlaceKey(job.place);
      const known = lanes.get(key);
      if (known) {
        known.waiting.push(job);
        return;
      }
      const lane: Lane<Job> = { waiting: [job], current: undefined };
      lanes.set(key, lane);
      const worker = work(key, lane).finally(() => running.delete(worker));
      running.add(worker);
    },
    stop(scope, personId, answerId) {
      const isMeant = (job: Job) => isOf(job, scope, personId) && (answerId === undefined || job.answerId === answerId);
      const dropped = [...lanes.values()].flatMap((lane) => takeOut(lane, isMeant));
      const meant = listRunning().filter(({ job, abort }) => isMeant(job) && !abort.signal.aborted);
      for (const { abort } of meant) abort.abort(new ReplyStoppedError('person'));
      return { stoppedCount: meant.length, dropped };
    },
    hasWork(scope, personId) {
      const goingOn = listRunning().flatMap(({ job, abort }) => (abort.signal.aborted ? [] : [job]));
      const waiting = [...lanes.values()].flatMap((lane) => lane.waiting);
      return [...goingOn, ...waiting].some((job) => isOf(job, scope, personId));
    },
    async whenEnded(personId) {
      await Promise.all(listRunning().map(({ job, ended }) => (job.personId === personId ? ended : undefined)));
    },
    dropWaiting(place, personId) {
      const lane = lanes.get(toPlaceKey(place));
      return lane ? takeOut(lane, (job) => job.personId === personId) : [];
    },
    abandon(chatId) {
      for (const lane of lanes.values()) {
        const { current } = lane;
        const isMeant = (job: Job) => job.place.chatId === chatId;
        takeOut(lane, isMeant);
        if (current && isMeant(current.job)) current.abort.abort(new ReplyStoppedError('other-process'));
      }
    },
    async close(graceMs, onCut) {
      isClosed = true;
      const ended = Promise.all(running);
      const patience = new AbortController();
      await Promise.race([ended, sleep(deps.clock, graceMs, patience.signal).catch(() => {})]);
      patience.abort();
      if (lanes.size === 0) return;
      onCut?.();
      isShutDown = true;
      for (const lane of lanes.values()) lane.current?.abort.abort(new ReplyStoppedError('shutdown'));
      await ended;
    },
  };
}
