import type { ChatTopic } from '../../core/conversations/index.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { isWithin, toChatTopicKey, type WorkScope } from '../framework/chat-topic.ts';
import { WorkStoppedError } from '../work/work-stopped-error.ts';

/** Job of one answer. */
export interface ReplyJob {
  readonly chatTopic: ChatTopic;
  /** User who asked. */
  readonly userId: number;
  /** The answer's message id in the database. */
  readonly answerId: number;
}

export interface ReplyQueueDeps<Job extends ReplyJob> {
  /** Writes one answer completely, or ends early when the signal aborts with a `WorkStoppedError`. */
  readonly write: (job: Job, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ReplyQueueOptions {
  /** Maximum number of queued jobs per topic, the running one not counted. Default 5. */
  readonly maxWaiting?: number;
  /**
   * Maximum number of topics with running jobs. Default 1000: each takes some 50 KiB and a connection to a provider.
   */
  readonly maxChatTopics?: number;
}

interface Writing<Job> {
  readonly job: Job;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

interface ChatQueue<Job> {
  readonly waiting: Job[];
  current: Writing<Job> | undefined;
}

export const MAX_WAITING_REPLIES = 5;

/**
 * Queue that runs one answer job at a time per topic, in order. Jobs run independently of update handling, so that
 * `/stop` can be handled meanwhile.
 */
export class ReplyQueue<Job extends ReplyJob> {
  readonly #deps: ReplyQueueDeps<Job>;
  readonly #options: Required<ReplyQueueOptions>;
  readonly #chatQueues = new Map<string, ChatQueue<Job>>();
  readonly #workers = new Set<Promise<void>>();
  /** Chats of jobs that were submitted after `close`. */
  readonly #chatsLeft = new Set<number>();
  #isClosed = false;
  #isShutDown = false;

  constructor(
    deps: ReplyQueueDeps<Job>,
    { maxWaiting = MAX_WAITING_REPLIES, maxChatTopics = 1000 }: ReplyQueueOptions = {},
  ) {
    this.#deps = deps;
    this.#options = { maxWaiting, maxChatTopics };
  }

  /** Returns whether a further job of this topic would run at once, wait, or be refused. */
  outlook(chatTopic: ChatTopic): 'at-once' | 'waits' | 'full' | 'busy' {
    if (this.#isClosed) return 'busy';
    const chatQueue = this.#chatQueues.get(toChatTopicKey(chatTopic));
    if (!chatQueue) return this.#chatQueues.size < this.#options.maxChatTopics ? 'at-once' : 'busy';
    return chatQueue.waiting.length < this.#options.maxWaiting ? 'waits' : 'full';
  }

  /** Returns the chats with running or queued jobs. */
  listBusyChats(): ReadonlySet<number> {
    return new Set([...this.#listAllJobs().map((job) => job.chatTopic.chatId), ...this.#chatsLeft]);
  }

  isUnderWay(answerId: number): boolean {
    return this.#listAllJobs().some((job) => job.answerId === answerId);
  }

  /** Returns the jobs of a topic in order, the running one first. */
  listJobs(chatTopic: ChatTopic): readonly Job[] {
    const chatQueue = this.#chatQueues.get(toChatTopicKey(chatTopic));
    return chatQueue ? toJobs(chatQueue) : [];
  }

  /** Queues a job whose outlook is `at-once` or `waits`. After `close` the job never runs and its chat stays busy. */
  submit(job: Job): void {
    if (this.#isClosed) {
      this.#chatsLeft.add(job.chatTopic.chatId);
      return;
    }
    const key = toChatTopicKey(job.chatTopic);
    const existing = this.#chatQueues.get(key);
    if (existing) {
      existing.waiting.push(job);
      return;
    }
    const chatQueue: ChatQueue<Job> = { waiting: [job], current: undefined };
    this.#chatQueues.set(key, chatQueue);
    const worker = this.#work(key, chatQueue).finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  /** Stops the user's running jobs in the scope and drops the queued ones. `answerId` restricts it to one answer. */
  stop(
    scope: WorkScope,
    userId: number,
    answerId?: number,
  ): { readonly stoppedCount: number; readonly dropped: readonly Job[] } {
    const isMeant = (job: Job) => isOf(job, scope, userId) && (answerId === undefined || job.answerId === answerId);
    const dropped = [...this.#chatQueues.values()].flatMap((chatQueue) => takeOut(chatQueue, isMeant));
    const meant = this.#listRunning().filter(({ job, abort }) => isMeant(job) && !abort.signal.aborted);
    for (const { abort } of meant) abort.abort(new WorkStoppedError('user'));
    return { stoppedCount: meant.length, dropped };
  }

  /** Returns whether the user has a queued job, or a running one that is not stopped yet, in the scope. */
  hasWork(scope: WorkScope, userId: number): boolean {
    const goingOn = this.#listRunning().flatMap(({ job, abort }) => (abort.signal.aborted ? [] : [job]));
    const waiting = [...this.#chatQueues.values()].flatMap((chatQueue) => chatQueue.waiting);
    return [...goingOn, ...waiting].some((job) => isOf(job, scope, userId));
  }

  /** Resolves when all jobs that run for the user now have ended. */
  async whenEnded(userId: number): Promise<void> {
    await Promise.all(this.#listRunning().map(({ job, ended }) => (job.userId === userId ? ended : undefined)));
  }

  /** Drops the user's queued jobs and keeps the running one. */
  dropWaiting(chatTopic: ChatTopic, userId: number): readonly Job[] {
    const chatQueue = this.#chatQueues.get(toChatTopicKey(chatTopic));
    return chatQueue ? takeOut(chatQueue, (job) => job.userId === userId) : [];
  }

  /** Aborts the running jobs of a chat and drops its queued ones, because another process has taken over the chat. */
  abandon(chatId: number): void {
    const isMeant = (job: Job) => job.chatTopic.chatId === chatId;
    for (const chatQueue of this.#chatQueues.values()) {
      const { current } = chatQueue;
      takeOut(chatQueue, isMeant);
      if (current && isMeant(current.job)) current.abort.abort(new WorkStoppedError('other-process'));
    }
  }

  /**
   * Waits up to `graceMs` for running jobs, then calls `onCut` and aborts them. Resolves when no job runs. Later jobs
   * are not accepted.
   */
  async close(graceMs: number, onCut?: () => void): Promise<void> {
    this.#isClosed = true;
    const ended = Promise.all(this.#workers);
    const patience = new AbortController();
    await Promise.race([ended, sleep(this.#deps.clock, graceMs, patience.signal).catch(() => {})]);
    patience.abort();
    if (this.#chatQueues.size === 0) return;
    onCut?.();
    this.#isShutDown = true;
    for (const { abort } of this.#listRunning()) abort.abort(new WorkStoppedError('shutdown'));
    await ended;
  }

  async #work(key: string, chatQueue: ChatQueue<Job>): Promise<void> {
    for (let job = chatQueue.waiting.shift(); job; job = chatQueue.waiting.shift()) await this.#write(chatQueue, job);
    this.#chatQueues.delete(key);
  }

  async #write(chatQueue: ChatQueue<Job>, job: Job): Promise<void> {
    const abort = new AbortController();
    const end = Promise.withResolvers<void>();
    chatQueue.current = { job, abort, ended: end.promise };
    if (this.#isShutDown) abort.abort(new WorkStoppedError('shutdown'));
    try {
      await this.#deps.write(job, abort.signal);
    } catch (error) {
      this.#deps.logger.error({ err: error, answerId: job.answerId }, 'a reply could not be written');
    }
    chatQueue.current = undefined;
    end.resolve();
  }

  #listAllJobs(): readonly Job[] {
    return [...this.#chatQueues.values()].flatMap(toJobs);
  }

  #listRunning(): readonly Writing<Job>[] {
    return [...this.#chatQueues.values()].flatMap(({ current }) => current ?? []);
  }
}

function toJobs<Job>({ current, waiting }: ChatQueue<Job>): readonly Job[] {
  return current ? [current.job, ...waiting] : waiting;
}

function isOf(job: ReplyJob, scope: WorkScope, userId: number): boolean {
  return job.userId === userId && isWithin(job.chatTopic, scope);
}

function takeOut<Job>(chatQueue: ChatQueue<Job>, isMeant: (job: Job) => boolean): readonly Job[] {
  const dropped = chatQueue.waiting.filter(isMeant);
  chatQueue.waiting.splice(0, Number.POSITIVE_INFINITY, ...chatQueue.waiting.filter((job) => !isMeant(job)));
  return dropped;
}
