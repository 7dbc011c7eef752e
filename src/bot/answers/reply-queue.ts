import type { Place } from '../../core/conversations/index.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { isWithin, toPlaceKey, type WorkScope } from '../framework/place.ts';
import { WorkStoppedError } from '../work/work-stopped-error.ts';

/** One answer that is to be written. */
export interface ReplyJob {
  readonly place: Place;
  /** Who asked. */
  readonly userId: number;
  /** The answer's message id in the database. */
  readonly answerId: number;
}

export interface ReplyQueueDeps<Job extends ReplyJob> {
  /** Writes one answer to its end, also to an early one when the signal aborts with a `WorkStoppedError`. */
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

interface Writing<Job> {
  readonly job: Job;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

interface Lane<Job> {
  readonly waiting: Job[];
  current: Writing<Job> | undefined;
}

export const MAX_WAITING_REPLIES = 5;

/** Writes one reply at a time per place, in order, beside the handling of updates: otherwise nobody could be told to stop. */
export class ReplyQueue<Job extends ReplyJob> {
  readonly #deps: ReplyQueueDeps<Job>;
  readonly #options: Required<ReplyQueueOptions>;
  readonly #lanes = new Map<string, Lane<Job>>();
  readonly #workers = new Set<Promise<void>>();
  /** Chats of jobs that came after `close`. */
  readonly #chatsLeft = new Set<number>();
  #isClosed = false;
  #isShutDown = false;

  constructor(
    deps: ReplyQueueDeps<Job>,
    { maxWaiting = MAX_WAITING_REPLIES, maxPlaces = 1000 }: ReplyQueueOptions = {},
  ) {
    this.#deps = deps;
    this.#options = { maxWaiting, maxPlaces };
  }

  /** How a further job of this place would fare now. */
  outlook(place: Place): 'at-once' | 'waits' | 'full' | 'busy' {
    if (this.#isClosed) return 'busy';
    const lane = this.#lanes.get(toPlaceKey(place));
    if (!lane) return this.#lanes.size < this.#options.maxPlaces ? 'at-once' : 'busy';
    return lane.waiting.length < this.#options.maxWaiting ? 'waits' : 'full';
  }

  /** Chats with jobs. */
  listBusyChats(): ReadonlySet<number> {
    return new Set([...this.#listAllJobs().map((job) => job.place.chatId), ...this.#chatsLeft]);
  }

  isUnderWay(answerId: number): boolean {
    return this.#listAllJobs().some((job) => job.answerId === answerId);
  }

  /** The jobs of a place in their order, the running one first. */
  listJobs(place: Place): readonly Job[] {
    const lane = this.#lanes.get(toPlaceKey(place));
    return lane ? toJobs(lane) : [];
  }

  /**
   * Takes a job whose outlook is good. Its writing starts when the ones before it in its place have ended; after `close` it never
   * does, and its chat stays busy.
   */
  submit(job: Job): void {
    if (this.#isClosed) {
      this.#chatsLeft.add(job.place.chatId);
      return;
    }
    const key = toPlaceKey(job.place);
    const known = this.#lanes.get(key);
    if (known) {
      known.waiting.push(job);
      return;
    }
    const lane: Lane<Job> = { waiting: [job], current: undefined };
    this.#lanes.set(key, lane);
    const worker = this.#work(key, lane).finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  /** Ends the person's running replies there and drops the person's waiting ones. `answerId` narrows it to one answer. */
  stop(
    scope: WorkScope,
    userId: number,
    answerId?: number,
  ): { readonly stoppedCount: number; readonly dropped: readonly Job[] } {
    const isMeant = (job: Job) => isOf(job, scope, userId) && (answerId === undefined || job.answerId === answerId);
    const dropped = [...this.#lanes.values()].flatMap((lane) => takeOut(lane, isMeant));
    const meant = this.#listRunning().filter(({ job, abort }) => isMeant(job) && !abort.signal.aborted);
    for (const { abort } of meant) abort.abort(new WorkStoppedError('user'));
    return { stoppedCount: meant.length, dropped };
  }

  /** Whether something of the person's runs there, and is not stopped yet, or waits. */
  hasWork(scope: WorkScope, userId: number): boolean {
    const goingOn = this.#listRunning().flatMap(({ job, abort }) => (abort.signal.aborted ? [] : [job]));
    const waiting = [...this.#lanes.values()].flatMap((lane) => lane.waiting);
    return [...goingOn, ...waiting].some((job) => isOf(job, scope, userId));
  }

  /** Resolves when all replies of the person that run now have ended. */
  async whenEnded(userId: number): Promise<void> {
    await Promise.all(this.#listRunning().map(({ job, ended }) => (job.userId === userId ? ended : undefined)));
  }

  /** Drops the person's waiting ones and lets the running one be. */
  dropWaiting(place: Place, userId: number): readonly Job[] {
    const lane = this.#lanes.get(toPlaceKey(place));
    return lane ? takeOut(lane, (job) => job.userId === userId) : [];
  }

  /** Another process works for this chat now: what runs is cut, what waits is dropped. */
  abandon(chatId: number): void {
    const isMeant = (job: Job) => job.place.chatId === chatId;
    for (const lane of this.#lanes.values()) {
      const { current } = lane;
      takeOut(lane, isMeant);
      if (current && isMeant(current.job)) current.abort.abort(new WorkStoppedError('other-process'));
    }
  }

  /**
   * Lets replies end for `graceMs`, then calls `onCut` and cuts them. Resolves when nothing runs any more. Nothing is taken afterwards.
   */
  async close(graceMs: number, onCut?: () => void): Promise<void> {
    this.#isClosed = true;
    const ended = Promise.all(this.#workers);
    const patience = new AbortController();
    await Promise.race([ended, sleep(this.#deps.clock, graceMs, patience.signal).catch(() => {})]);
    patience.abort();
    if (this.#lanes.size === 0) return;
    onCut?.();
    this.#isShutDown = true;
    for (const { abort } of this.#listRunning()) abort.abort(new WorkStoppedError('shutdown'));
    await ended;
  }

  async #work(key: string, lane: Lane<Job>): Promise<void> {
    for (let job = lane.waiting.shift(); job; job = lane.waiting.shift()) await this.#write(lane, job);
    this.#lanes.delete(key);
  }

  async #write(lane: Lane<Job>, job: Job): Promise<void> {
    const abort = new AbortController();
    const end = Promise.withResolvers<void>();
    lane.current = { job, abort, ended: end.promise };
    if (this.#isShutDown) abort.abort(new WorkStoppedError('shutdown'));
    try {
      await this.#deps.write(job, abort.signal);
    } catch (error) {
      this.#deps.logger.error({ err: error, answerId: job.answerId }, 'a reply could not be written');
    }
    lane.current = undefined;
    end.resolve();
  }

  #listAllJobs(): readonly Job[] {
    return [...this.#lanes.values()].flatMap(toJobs);
  }

  #listRunning(): readonly Writing<Job>[] {
    return [...this.#lanes.values()].flatMap(({ current }) => current ?? []);
  }
}

function toJobs<Job>({ current, waiting }: Lane<Job>): readonly Job[] {
  return current ? [current.job, ...waiting] : waiting;
}

function isOf(job: ReplyJob, scope: WorkScope, userId: number): boolean {
  return job.userId === userId && isWithin(job.place, scope);
}

function takeOut<Job>(lane: Lane<Job>, isMeant: (job: Job) => boolean): readonly Job[] {
  const dropped = lane.waiting.filter(isMeant);
  lane.waiting.splice(0, Number.POSITIVE_INFINITY, ...lane.waiting.filter((job) => !isMeant(job)));
  return dropped;
}
