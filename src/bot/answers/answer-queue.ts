import type { ChatTopic } from '../../core/conversations/index.ts';
import { WorkQueue } from '../../lib/async/work-queue.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { isWithin, toChatTopicKey, type WorkScope } from '../kit/chats.ts';
import { WorkStoppedError } from '../work/work-stopped-error.ts';

/** Part of an answer job that the queue uses. */
export interface QueuedAnswer {
  readonly chatTopic: ChatTopic;
  /** User who asked. */
  readonly userId: number;
  /** The answer's message id in the database. */
  readonly id: number;
  /** Jobs of one batch run at the same time, those of other batches before or after them. Default: a batch of its own. */
  readonly batch?: number | undefined;
  /** It is sent beside the other jobs of its topic, after earlier reminders, and can't be stopped. Default false. */
  readonly isReminder?: boolean;
  /** It is not dropped while it waits, because the user is not waiting for a model to begin it. Default false. */
  readonly staysQueued?: boolean;
}

/** Restricts a stop to one answer, or to the answers of a batch. */
export interface StopFilter {
  readonly answerId?: number;
  readonly batch?: number;
}

export interface AnswerQueueDeps<Job extends QueuedAnswer> {
  /** Writes one answer completely, or ends early when the signal aborts with a `WorkStoppedError`. */
  readonly write: (job: Job, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface AnswerQueueOptions {
  /** Maximum number of queued answers per topic, the running one not counted. Default `MAX_WAITING_ANSWERS`. */
  readonly maxWaiting?: number;
  /**
   * Maximum number of topics with running jobs. Default 1000: each takes some 50 KiB and a connection to a provider.
   */
  readonly maxChatTopics?: number;
}

interface RunningJob<Job> {
  readonly job: Job;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** What runs beside a job, and what it shares with it. */
export interface Companions<Job> {
  /** Returns the running jobs of its batch, itself included. */
  readonly listBatch: () => readonly Job[];
  /** Returns the number of messages of its user that wait in the topic. */
  readonly countWaiting: () => number;
  /** Runs one send at a time of all jobs of the topic, reminders included. */
  readonly sends: Pick<WorkQueue, 'run'>;
  /** Reads one attachment at a time for the jobs of its batch; undefined for a job without a batch. */
  readonly readings: Pick<WorkQueue, 'run'> | undefined;
}

interface TopicQueue<Job> {
  readonly sends: WorkQueue;
  readonly readings: WorkQueue;
  readonly waiting: Job[];
  readonly running: RunningJob<Job>[];
}

export const MAX_WAITING_ANSWERS = 5;
/** Reminders need no model. Those beyond are handed over again by the scheduler. */
const MAX_WAITING_REMINDERS = 100;
/** More than the answers to one question and a reminder. */
const MAX_WAITING_TURNS = 100;

/**
 * Queue that runs one answer job, or one batch of them, at a time per topic, in order, and beside it one reminder. Jobs
 * run independently of update handling, so that `/stop` can be handled meanwhile.
 */
export class AnswerQueue<Job extends QueuedAnswer> {
  readonly #deps: AnswerQueueDeps<Job>;
  readonly #options: Required<AnswerQueueOptions>;
  readonly #topicQueues = new Map<string, TopicQueue<Job>>();
  readonly #workers = new Set<Promise<void>>();
  /** Chats of jobs that were submitted after `close`: the next process has to answer these. */
  readonly #chatsForNextProcess = new Set<number>();
  /** No new jobs are accepted. */
  #isClosed = false;
  /** The grace period is over: no job may run. */
  #isShutDown = false;

  constructor(
    deps: AnswerQueueDeps<Job>,
    { maxWaiting = MAX_WAITING_ANSWERS, maxChatTopics = 1000 }: AnswerQueueOptions = {},
  ) {
    this.#deps = deps;
    this.#options = { maxWaiting, maxChatTopics };
  }

  /**
   * Returns whether a further job of this topic would run at once, wait, or be refused. `full`: too many jobs of this
   * topic wait. `overloaded`: too many topics have jobs, or the queue is closed.
   */
  checkCapacity(chatTopic: ChatTopic, isReminder = false): 'at-once' | 'waits' | 'full' | 'overloaded' {
    if (this.#isClosed) return 'overloaded';
    const topicQueue = this.#topicQueues.get(toKey({ chatTopic, isReminder }));
    if (!topicQueue) return this.#topicQueues.size < this.#options.maxChatTopics ? 'at-once' : 'overloaded';
    const maxWaiting = isReminder ? MAX_WAITING_REMINDERS : this.#options.maxWaiting;
    return topicQueue.waiting.length < maxWaiting ? 'waits' : 'full';
  }

  /** Returns the chats with running or queued jobs, and those that are left to the next process. */
  listBusyChats(): ReadonlySet<number> {
    return new Set([...this.#listAllJobs().map((job) => job.chatTopic.chatId), ...this.#chatsForNextProcess]);
  }

  isUnderWay(answerId: number): boolean {
    return this.#listAllJobs().some((job) => job.id === answerId);
  }

  /** Returns the answers of a topic in order, the running ones first; or its reminders. */
  listJobs(chatTopic: ChatTopic, isReminder = false): readonly Job[] {
    const topicQueue = this.#topicQueues.get(toKey({ chatTopic, isReminder }));
    return topicQueue ? toJobs(topicQueue) : [];
  }

  /**
   * Queues a job for which `checkCapacity` returned `at-once` or `waits`. After `close` the job never runs, and its chat
   * is listed as busy, so that it is not released before the next process takes it over.
   */
  submit(job: Job): void {
    if (this.#isClosed) {
      this.#chatsForNextProcess.add(job.chatTopic.chatId);
      return;
    }
    const key = toKey(job);
    const existing = this.#topicQueues.get(key);
    if (existing) {
      if (existing.running.some((running) => isOfBatch(running.job, job))) this.#start(existing, job);
      else existing.waiting.push(job);
      return;
    }
    const sibling = this.#topicQueues.get(toKey({ chatTopic: job.chatTopic, isReminder: !job.isReminder }));
    const sends = sibling?.sends ?? createTurns();
    const topicQueue: TopicQueue<Job> = { sends, readings: createTurns(), waiting: [job], running: [] };
    this.#topicQueues.set(key, topicQueue);
    const worker = this.#work(key, topicQueue).finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  /** Stops the user's running answers in the scope and drops the queued ones. */
  stop(
    scope: WorkScope,
    userId: number,
    { answerId, batch }: StopFilter = {},
  ): { readonly stoppedCount: number; readonly dropped: readonly Job[] } {
    const matches = (job: Job) =>
      !job.isReminder &&
      isOf(job, scope, userId) &&
      (answerId === undefined || job.id === answerId) &&
      (batch === undefined || job.batch === batch);
    const dropped = [...this.#topicQueues.values()].flatMap((topicQueue) =>
      takeOut(topicQueue, (job) => !job.staysQueued && matches(job)),
    );
    const matching = this.#listRunning().filter(({ job, controller }) => matches(job) && !controller.signal.aborted);
    for (const { controller } of matching) controller.abort(new WorkStoppedError('user'));
    return { stoppedCount: matching.length, dropped };
  }

  /** Returns what runs beside a running job. */
  companionsOf(job: Job): Companions<Job> {
    const topicQueue = this.#topicQueues.get(toKey(job));
    if (!topicQueue) throw new Error('the job is not running');
    const listBatch = () => (job.batch === undefined ? [job] : toJobs(topicQueue).filter((one) => isOfBatch(one, job)));
    const countWaiting = () => this.countWaiting(job.chatTopic, job.userId);
    const { sends, readings } = topicQueue;
    return { listBatch, countWaiting, sends, readings: job.batch === undefined ? undefined : readings };
  }

  /** Returns the number of the user's queued messages in a topic that `dropWaiting` would drop. */
  countWaiting(chatTopic: ChatTopic, userId: number): number {
    const topicQueue = this.#topicQueues.get(toKey({ chatTopic }));
    return topicQueue ? countBatches(topicQueue.waiting.filter((job) => mayDrop(job, userId))) : 0;
  }

  /** Returns whether the user has an answer in the scope that `stop` would drop or stop. */
  hasWork(scope: WorkScope, userId: number): boolean {
    const running = this.#listRunning().flatMap(({ job, controller }) => (controller.signal.aborted ? [] : [job]));
    const waiting = [...this.#topicQueues.values()].flatMap((topicQueue) => topicQueue.waiting);
    const stoppable = [...running.filter((job) => !job.isReminder), ...waiting.filter((job) => !job.staysQueued)];
    return stoppable.some((job) => isOf(job, scope, userId));
  }

  /** Resolves when all jobs that run for the user now have ended. */
  async whenEnded(userId: number): Promise<void> {
    await Promise.all(this.#listRunning().map(({ job, ended }) => (job.userId === userId ? ended : undefined)));
  }

  /** Drops the user's queued messages and keeps the running answers. */
  dropWaiting(chatTopic: ChatTopic, userId: number): readonly Job[] {
    const topicQueue = this.#topicQueues.get(toKey({ chatTopic }));
    return topicQueue ? takeOut(topicQueue, (job) => mayDrop(job, userId)) : [];
  }

  /** Aborts the running jobs of a chat and drops its queued ones, because another process has taken over the chat. */
  abandon(chatId: number): void {
    const matches = (job: Job) => job.chatTopic.chatId === chatId;
    for (const topicQueue of this.#topicQueues.values()) {
      takeOut(topicQueue, matches);
      for (const { job, controller } of topicQueue.running)
        if (matches(job)) controller.abort(new WorkStoppedError('other-process'));
    }
  }

  /**
   * Waits up to `graceMs` for running jobs, then calls `onGraceOver` and aborts them. Resolves when no job runs. Later jobs
   * are not accepted.
   */
  async close(graceMs: number, onGraceOver?: () => void): Promise<void> {
    this.#isClosed = true;
    const ended = Promise.all(this.#workers);
    const graceTimer = new AbortController();
    await Promise.race([ended, sleep(this.#deps.clock, graceMs, graceTimer.signal).catch(() => {})]);
    graceTimer.abort();
    if (this.#topicQueues.size === 0) return;
    onGraceOver?.();
    this.#isShutDown = true;
    for (const { controller } of this.#listRunning()) controller.abort(new WorkStoppedError('shutdown'));
    await ended;
  }

  async #work(key: string, topicQueue: TopicQueue<Job>): Promise<void> {
    for (let job = topicQueue.waiting.shift(); job; job = topicQueue.waiting.shift()) {
      const first = job;
      this.#start(topicQueue, first);
      for (const other of takeOut(topicQueue, (waiting) => isOfBatch(waiting, first))) this.#start(topicQueue, other);
      // Jobs of the batch may be added until the last of them ends.
      while (topicQueue.running.length > 0) await Promise.all(topicQueue.running.map(({ ended }) => ended));
    }
    this.#topicQueues.delete(key);
  }

  #start(topicQueue: TopicQueue<Job>, job: Job): void {
    const controller = new AbortController();
    const end = Promise.withResolvers<void>();
    const running: RunningJob<Job> = { job, controller, ended: end.promise };
    topicQueue.running.push(running);
    if (this.#isShutDown) controller.abort(new WorkStoppedError('shutdown'));
    void this.#write(running).finally(() => {
      topicQueue.running.splice(topicQueue.running.indexOf(running), 1);
      end.resolve();
    });
  }

  async #write({ job, controller }: RunningJob<Job>): Promise<void> {
    try {
      await this.#deps.write(job, controller.signal);
    } catch (error) {
      this.#deps.logger.error({ err: error, answerId: job.id }, 'an answer could not be written');
    }
  }

  #listAllJobs(): readonly Job[] {
    return [...this.#topicQueues.values()].flatMap(toJobs);
  }

  #listRunning(): readonly RunningJob<Job>[] {
    return [...this.#topicQueues.values()].flatMap(({ running }) => running);
  }
}

/** Returns the key of the queue that a job waits in. */
function toKey({ chatTopic, isReminder = false }: Pick<QueuedAnswer, 'chatTopic' | 'isReminder'>): string {
  return isReminder ? `reminders:${toChatTopicKey(chatTopic)}` : toChatTopicKey(chatTopic);
}

/** Returns the number of messages that jobs answer: those of one batch answer one. */
export function countBatches(jobs: readonly Pick<QueuedAnswer, 'id' | 'batch'>[]): number {
  return new Set(jobs.map(({ id, batch }) => (batch === undefined ? `answer:${id}` : batch))).size;
}

function mayDrop(job: QueuedAnswer, userId: number): boolean {
  return job.userId === userId && !job.staysQueued;
}

function toJobs<Job>({ running, waiting }: TopicQueue<Job>): readonly Job[] {
  return [...running.map(({ job }) => job), ...waiting];
}

/** Returns whether two jobs of a topic run at the same time. */
function isOfBatch(job: Pick<QueuedAnswer, 'batch'>, other: Pick<QueuedAnswer, 'batch'>): boolean {
  return job.batch !== undefined && job.batch === other.batch;
}

/** Returns a queue that runs one task at a time. */
function createTurns(): WorkQueue {
  return new WorkQueue({ total: 1, maxWaiting: MAX_WAITING_TURNS });
}

function isOf(job: QueuedAnswer, scope: WorkScope, userId: number): boolean {
  return job.userId === userId && isWithin(job.chatTopic, scope);
}

function takeOut<Job>(topicQueue: TopicQueue<Job>, matches: (job: Job) => boolean): readonly Job[] {
  const dropped = topicQueue.waiting.filter(matches);
  topicQueue.waiting.splice(0, Number.POSITIVE_INFINITY, ...topicQueue.waiting.filter((job) => !matches(job)));
  return dropped;
}
