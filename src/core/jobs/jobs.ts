import { type Clock, endsWithin } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/logger.ts';
import type { ChatLeases } from '../inbox/index.ts';
import { ActiveJob, countBatches, isOfBatch } from './active-job.ts';
import {
  isWithin,
  type Job,
  type JobKind,
  type JobRefusal,
  type JobRequest,
  type JobScope,
  type JobWork,
  type StoppedCounts,
} from './job.ts';

export interface StopOptions<Kind> {
  /** Default all. */
  readonly kinds?: readonly Kind[];
  /** Restricts the stop to some jobs. Default all. */
  readonly matches?: (job: Job) => boolean;
}

/** Grace period for running jobs at shutdown, the time for final messages after it, and for jobs whose delivery was aborted. */
const SHUTDOWN_GRACE_MS = 8000;
const DELIVERY_TIMEOUT_MS = 5000;
const ABORTED_MS = 3000;
/** Maximum time in which a job of a lost chat completes its send before its work is recovered. */
const LAST_SEND_MS = 30_000;

export interface JobsContext {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly chatLeases: ChatLeases;
}

/**
 * All jobs of this process: work that outlives the handling of an update. They are limited in number, run in order where
 * they have a queue, can be stopped by users, end with the process, and are recovered by the one that takes over.
 */
export class Jobs<Context extends JobsContext, Kind extends JobKind<Context> = JobKind<Context>> {
  /** In the order in which they are recovered. */
  readonly kinds: readonly Kind[];
  readonly #context: Context;
  /** By kind, in the order of their start. */
  readonly #jobs = new Map<JobKind<Context>, Set<ActiveJob>>();
  /** Running jobs, abandoned ones included. */
  readonly #running = new Set<ActiveJob>();
  readonly #chatsForNextProcess = new Set<number>();
  readonly #closing = new AbortController();
  /** The grace period is over. */
  #isShutDown = false;
  #isDeliveryOver = false;

  constructor(context: Context, kinds: readonly Kind[]) {
    this.#context = context;
    this.kinds = kinds;
    for (const kind of kinds) this.#jobs.set(kind, new Set());
  }

  /** Aborts when the process is about to end: no further update is handled. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Starts a job, or puts it into its queue. @throws ChatLostError */
  start<Request extends JobRequest>(
    kind: JobKind<Context, Request>,
    request: NoInfer<Request>,
    work: JobWork,
  ): 'started' | JobRefusal {
    const job = this.#enter(kind, request);
    if (typeof job === 'string') return job;
    this.#begin(kind, job, work);
    return 'started';
  }

  /**
   * Records work and starts its job.
   * @param record called once there is room for the job; returns undefined if the work was recorded before.
   * @throws ChatLostError; the errors of `record`.
   */
  async recordAndStart<Request extends JobRequest>(
    kind: JobKind<Context, Request>,
    request: NoInfer<Request>,
    record: (job: Job) => Promise<JobWork | undefined>,
  ): Promise<'started' | JobRefusal> {
    const job = this.#enter(kind, request);
    if (typeof job === 'string') return job;
    let work: JobWork | undefined;
    try {
      work = await record(job);
    } finally {
      if (!work) this.#end(kind, job);
    }
    if (!work) return 'running';
    // Otherwise it was abandoned before it began.
    if (this.#jobsOf(kind).has(job)) this.#begin(kind, job, work);
    return 'started';
  }

  /** Returns the jobs of a kind in the order of their start. */
  list<Request extends JobRequest>(kind: JobKind<Context, Request>): readonly Job<Request>[] {
    // `start` has added only jobs with the requests of the kind.
    return [...this.#jobsOf(kind)] as Job[] as Job<Request>[];
  }

  /** Counts running and waiting jobs by the name of their kind. */
  count(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.kinds.map((kind) => [kind.name, this.#jobsOf(kind).size]));
  }

  find(kind: JobKind<Context>, id: number | string): Job | undefined {
    return this.list(kind).find((job) => job.id === id);
  }

  /** Returns the chats with jobs, and those whose work the next process has to recover. */
  listBusyChats(): ReadonlySet<number> {
    const chatIds = this.#listAll().map(([, job]) => job.request.chatTopic.chatId);
    return new Set([...this.#chatsForNextProcess, ...chatIds]);
  }

  /** Stops the user's running jobs in the scope and drops the waiting ones. @returns their numbers by kind. */
  async stop(
    scope: JobScope,
    userId: number,
    { kinds = this.kinds, matches = () => true }: StopOptions<Kind> = {},
  ): Promise<ReadonlyMap<Kind, StoppedCounts>> {
    const stoppable = kinds.map((kind) => [kind, this.#listStoppable(kind, scope, userId).filter(matches)] as const);
    const counts = new Map<Kind, StoppedCounts>();
    for (const [kind, jobs] of stoppable) {
      const dropped = jobs.filter((job) => !job.isRunning);
      for (const job of jobs) {
        if (job.isRunning) job.stop('user');
        else this.#leave(kind, job);
      }
      counts.set(kind, { stoppedCount: jobs.length - dropped.length, droppedCount: countBatches(dropped) });
    }
    for (const [kind, jobs] of stoppable) for (const job of jobs) if (!job.isRunning) await this.#drop(kind, job);
    return counts;
  }

  /** Stops one of the user's jobs. @returns false if there is none in the scope that can be stopped. */
  async stopOne(kind: Kind, id: number | string, scope: JobScope, userId: number): Promise<boolean> {
    const counts = await this.stop(scope, userId, { kinds: [kind], matches: (job) => job.id === id });
    return counts.get(kind)?.stoppedCount === 1;
  }

  /** Returns whether `stop` would stop or drop a job. */
  hasStoppable(scope: JobScope, userId: number, kinds: readonly Kind[] = this.kinds): boolean {
    return kinds.some((kind) => this.#listStoppable(kind, scope, userId).length > 0);
  }

  /** Resolves when all jobs that run for the user now have ended. */
  async whenEnded(userId: number): Promise<void> {
    await Promise.all([...this.#running].map(({ request, ended }) => (request.userId === userId ? ended : undefined)));
  }

  /** Resumes or reports the stored work of a chat. Never throws; ends early when the signal aborts. */
  async recover(chatId: number, signal: AbortSignal): Promise<void> {
    await this.#whenAbandonedEnd(chatId, signal);
    for (const kind of this.kinds) await kind.recover?.(this.#context, chatId, signal);
  }

  /**
   * Aborts the stored work of a chat that another process has taken over; nothing new about it is sent from here. Jobs
   * that no other process would repeat continue.
   */
  abandon(chatId: number): void {
    for (const [kind, job] of this.#listAll()) {
      if (job.request.chatTopic.chatId !== chatId || job.id === undefined) continue;
      if (!kind.recordsSends || !job.isRunning) {
        job.endDelivery();
        // If this process gets the chat back, it recovers the work like that of any other process.
        this.#leave(kind, job);
      }
      job.abandon();
    }
    for (const kind of this.kinds) kind.abandon?.(this.#context, chatId);
  }

  /**
   * Lets jobs run for a grace period, then stops them; finished results are still delivered. Later jobs are refused. The
   * stored work of jobs that do not end is left to the next process.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#endWithin(SHUTDOWN_GRACE_MS);
    if (this.#listAll().length === 0) return;
    this.#isShutDown = true;
    for (const job of this.#running) job.stop('shutdown');
    if (await this.#endWithin(DELIVERY_TIMEOUT_MS)) return;
    this.#isDeliveryOver = true;
    for (const job of this.#running) job.endDelivery();
    if (await this.#endWithin(ABORTED_MS)) return;
    this.#context.logger.error({ jobs: this.count() }, 'jobs did not end in time');
  }

  /** Jobs of a chat that this process has lost, and has back already, may still complete a send. */
  async #whenAbandonedEnd(chatId: number, signal: AbortSignal): Promise<void> {
    const abandoned = this.#listAll().filter(
      ([, { request, takeoverSignal }]) => request.chatTopic.chatId === chatId && takeoverSignal.aborted,
    );
    const ended = Promise.all(abandoned.map(([, job]) => job.ended));
    if ((await endsWithin(this.#context.clock, ended, LAST_SEND_MS, signal)) || signal.aborted) return;
    // Its work is recovered as it would be by another process, which does not wait at all.
    for (const [kind, job] of abandoned) {
      job.endDelivery();
      this.#leave(kind, job);
    }
    this.#context.logger.error({ chatId }, 'jobs of a lost chat did not end in time');
  }

  #endWithin(timeoutMs: number): Promise<boolean> {
    return endsWithin(this.#context.clock, this.#whenAllEnded(), timeoutMs);
  }

  async #whenAllEnded(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running].map(({ ended }) => ended));
  }

  #enter(kind: JobKind<Context>, request: JobRequest): ActiveJob | JobRefusal {
    this.#context.chatLeases.throwIfLost();
    const refusal = this.#findRefusal(kind, request);
    // The next process recovers what is stored already.
    if (refusal && this.closing.aborted && request.id !== undefined)
      this.#chatsForNextProcess.add(request.chatTopic.chatId);
    if (refusal) return refusal;
    const job = new ActiveJob(request);
    this.#jobsOf(kind).add(job);
    return job;
  }

  #findRefusal(kind: JobKind<Context>, { key, userId, isLarge }: JobRequest): JobRefusal | undefined {
    const jobs = this.#jobsOf(kind);
    let userJobs = 0;
    let largeJobs = 0;
    for (const { request } of jobs) {
      if (key !== undefined && request.key === key) return 'running';
      if (request.userId === userId) userJobs += 1;
      if (request.isLarge) largeJobs += 1;
    }
    if (this.closing.aborted || jobs.size >= kind.maxJobs) return 'overloaded';
    if (isLarge && largeJobs >= (kind.maxLargeJobs ?? kind.maxJobs)) return 'overloaded';
    return userJobs >= kind.maxUserJobs ? 'full' : undefined;
  }

  #begin(kind: JobKind<Context>, job: ActiveJob, work: JobWork): void {
    const { chatLeases } = this.#context;
    const begin = () => this.#work(kind, job, work);
    // A job that waits is begun by the end of another one, but works under the lease that it was started with. One that no
    // other process would repeat goes on.
    job.begin =
      job.id === undefined
        ? () => chatLeases.run(undefined, begin)
        : chatLeases.bind(job.request.chatTopic.chatId, begin);
    job.isStoppable = job.request.isStoppable ?? true;
    const { queue } = job.request;
    if (queue === undefined) this.#run(job, job.begin);
    else this.#runNext(kind, queue);
  }

  /** Runs the first batch of a queue, and what has been added to a running one. */
  #runNext(kind: JobKind<Context>, queue: string): void {
    const jobs = [...this.#jobsOf(kind)].filter(({ request }) => request.queue === queue);
    const first = jobs.find(({ isRunning }) => isRunning) ?? jobs[0];
    for (const job of jobs)
      if (first && job.begin && !job.isRunning && (job === first || isOfBatch(job, first))) this.#run(job, job.begin);
  }

  #run(job: ActiveJob, begin: () => Promise<void>): void {
    if (this.#isShutDown) job.stop('shutdown');
    if (this.#isDeliveryOver) job.endDelivery();
    this.#running.add(job);
    job.isRunning = true;
    job.ended = begin();
  }

  async #work(kind: JobKind<Context>, job: ActiveJob, work: JobWork): Promise<void> {
    const { chatTopic } = job.request;
    try {
      const checking = this.#context.chatLeases.check();
      if (checking !== undefined) await checking;
      const isLeft = (await work(job)) === 'unfinished' || job.deliverySignal.aborted;
      if (isLeft && !job.takeoverSignal.aborted) this.#chatsForNextProcess.add(chatTopic.chatId);
    } catch (error) {
      this.#context.logger.error({ err: error, kind: kind.name, jobId: job.id }, 'a job has failed');
    } finally {
      this.#running.delete(job);
      this.#end(kind, job);
    }
  }

  async #drop(kind: JobKind<Context>, { request, id: jobId }: ActiveJob): Promise<void> {
    try {
      await kind.drop?.(this.#context, request);
    } catch (error) {
      // The next process finds it and continues.
      this.#context.logger.error({ err: error, kind: kind.name, jobId }, 'a job could not be dropped');
    }
  }

  /** Removes a job and runs the next one of its queue. */
  #end(kind: JobKind<Context>, job: ActiveJob): void {
    this.#leave(kind, job);
    const { queue } = job.request;
    if (queue !== undefined) this.#runNext(kind, queue);
  }

  #leave(kind: JobKind<Context>, job: ActiveJob): void {
    this.#jobsOf(kind).delete(job);
  }

  #jobsOf(kind: JobKind<Context>): Set<ActiveJob> {
    const jobs = this.#jobs.get(kind);
    if (!jobs) throw new Error(`jobs of the kind ${kind.name} are not registered`);
    return jobs;
  }

  #listStoppable(kind: Kind, scope: JobScope, userId: number): readonly ActiveJob[] {
    return [...this.#jobsOf(kind)].filter(
      ({ request, isRunning, isStoppable }) =>
        isStoppable &&
        request.userId === userId &&
        isWithin(request.chatTopic, scope) &&
        (isRunning || request.staysQueued !== true),
    );
  }

  #listAll(): readonly (readonly [JobKind<Context>, ActiveJob])[] {
    return [...this.#jobs].flatMap(([kind, jobs]) => [...jobs].map((job) => [kind, job] as const));
  }
}
