import { type Clock, sleep } from '../../lib/clock.ts';
import type { Job, JobKind, JobQueue, JobRefusal, JobRequest, JobWork, StoppedCounts } from './job.ts';
import { isWithin, type JobScope } from './job-scope.ts';
import { WorkStoppedError } from './work-stopped-error.ts';

/** Grace period for running jobs at shutdown, and the time for final messages after it. */
const SHUTDOWN_GRACE_MS = 8000;
const DELIVERY_TIMEOUT_MS = 5000;

class RunningJob implements Job {
  readonly kind: { readonly name: string };
  readonly key: string;
  id: JobRequest['id'];
  readonly userId: number;
  readonly chatTopic: Job['chatTopic'];
  readonly isLarge: boolean;
  isStoppable = false;
  /** Resolves when the work has ended; undefined before it begins. */
  ended: Promise<void> | undefined;
  readonly deliverySignal: AbortSignal;
  readonly #stopping = new AbortController();
  readonly #abandoned = new AbortController();

  constructor(
    kind: RunningJob['kind'],
    { key, id, userId, chatTopic, isLarge = false }: JobRequest,
    deliverySignal: AbortSignal,
  ) {
    this.kind = kind;
    this.key = key;
    this.id = id;
    this.userId = userId;
    this.chatTopic = chatTopic;
    this.isLarge = isLarge;
    this.deliverySignal = AbortSignal.any([deliverySignal, this.#abandoned.signal]);
  }

  get stopSignal(): AbortSignal {
    return this.#stopping.signal;
  }

  get isAbandoned(): boolean {
    return this.#abandoned.signal.aborted;
  }

  stop(by: WorkStoppedError['by']): void {
    this.isStoppable = false;
    this.#stopping.abort(new WorkStoppedError(by));
  }

  abandon(): void {
    this.#abandoned.abort();
    this.stop('other-process');
  }
}

/**
 * All jobs of this process: work that outlives the handling of an update. They are limited in number, stoppable by
 * users, ended with the process, and recovered by the process that takes over their chat.
 */
export class Jobs<Context extends { readonly clock: Clock }, Kind extends JobKind<Context> = JobKind<Context>> {
  readonly #context: Context;
  /** In the order in which they are recovered. */
  readonly kinds: readonly Kind[];
  readonly #jobs = new Set<RunningJob>();
  /** Jobs with work that has not ended, abandoned ones included. */
  readonly #unended = new Set<RunningJob>();
  readonly #chatsForNextProcess = new Set<number>();
  readonly #closing = new AbortController();
  readonly #deliverySignal = new AbortController();
  #isShutDown = false;

  constructor(context: Context, kinds: readonly Kind[]) {
    this.#context = context;
    this.kinds = kinds;
  }

  /** Aborts when the process is about to end: no further update is handled. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * Starts a job. From then on it can be stopped, unless its work says otherwise.
   * @param prepare records the work and returns it, once there is room for it; undefined if it was recorded already, so
   * that nothing is to be done.
   */
  async start(
    kind: JobKind<Context>,
    request: JobRequest,
    prepare: (job: Job) => Promise<JobWork | undefined> | JobWork,
  ): Promise<'started' | JobRefusal> {
    const refusal = this.#findRefusal(kind, request);
    if (refusal) return refusal;
    const job = new RunningJob(kind, request, this.#deliverySignal.signal);
    this.#jobs.add(job);
    let work: JobWork | undefined;
    try {
      work = await prepare(job);
    } finally {
      if (!work) this.#jobs.delete(job);
    }
    if (!work) return 'running';
    // Otherwise it was abandoned before it began.
    if (this.#jobs.has(job)) this.#run(job, work);
    return 'started';
  }

  /** Returns the jobs of a kind, in the order of their start. */
  list(kind: JobKind<Context>): readonly Job[] {
    return [...this.#jobs].filter((job) => job.kind === kind);
  }

  find(kind: JobKind<Context>, id: number | string): Job | undefined {
    return this.list(kind).find((job) => job.id === id);
  }

  /** Returns the chats with jobs, and those whose work the next process has to recover. */
  listBusyChats(): ReadonlySet<number> {
    const ofQueues = this.#listQueues().flatMap((queue) => [...queue.listBusyChats()]);
    return new Set([
      ...this.#chatsForNextProcess,
      ...[...this.#jobs].map(({ chatTopic }) => chatTopic.chatId),
      ...ofQueues,
    ]);
  }

  /** Stops the user's stoppable jobs in the scope. @param kinds default all. @returns their numbers by kind. */
  async stop(
    scope: JobScope,
    userId: number,
    kinds: readonly Kind[] = this.kinds,
  ): Promise<ReadonlyMap<Kind, StoppedCounts>> {
    const stopped = kinds.map((kind) => {
      const jobs = this.#listStoppable(kind, scope, userId);
      for (const job of jobs) job.stop('user');
      return [kind, { stoppedCount: jobs.length, droppedCount: 0 }] as const;
    });
    const counts = new Map<Kind, StoppedCounts>(stopped);
    for (const kind of kinds) {
      const queue = kind.queue?.(this.#context);
      if (queue) counts.set(kind, await queue.stop(scope, userId));
    }
    return counts;
  }

  /** Stops one of the user's jobs. @returns false if there is none in the scope that can be stopped. */
  stopOne(kind: JobKind<Context>, id: number | string, scope: JobScope, userId: number): boolean {
    const job = this.#listStoppable(kind, scope, userId).find((one) => one.id === id);
    job?.stop('user');
    return job !== undefined;
  }

  /** Returns whether `stop` would stop a job. */
  hasStoppable(scope: JobScope, userId: number, kinds: readonly Kind[] = this.kinds): boolean {
    return kinds.some(
      (kind) =>
        this.#listStoppable(kind, scope, userId).length > 0 ||
        kind.queue?.(this.#context).hasWork(scope, userId) === true,
    );
  }

  /** Resolves when all jobs that run for the user now have ended. */
  async whenEnded(userId: number): Promise<void> {
    const ended = [...this.#unended].map((job) => (job.userId === userId ? job.ended : undefined));
    await Promise.all([...ended, ...this.#listQueues().map((queue) => queue.whenEnded(userId))]);
  }

  /** Resumes or reports the stored work of a chat. Never throws; ends early when the signal aborts. */
  async recover(chatId: number, signal: AbortSignal): Promise<void> {
    for (const kind of this.kinds) await kind.recover?.(this.#context, chatId, signal);
  }

  /**
   * Aborts the stored work of a chat that another process has taken over; nothing more about it is sent from here. Jobs
   * that no other process would repeat continue.
   */
  abandon(chatId: number): void {
    for (const queue of this.#listQueues()) queue.abandon(chatId);
    for (const job of [...this.#jobs]) {
      if (job.chatTopic.chatId !== chatId || job.id === undefined) continue;
      // If this process gets the chat back, it recovers the work like that of any other process.
      this.#jobs.delete(job);
      job.abandon();
    }
  }

  /**
   * Lets running jobs finish for a grace period, then stops them; finished results are still delivered. Later jobs are
   * refused.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#closeOwn(), ...this.#listQueues().map((queue) => queue.close())]);
  }

  async #closeOwn(): Promise<void> {
    const { clock } = this.#context;
    const graceTimer = new AbortController();
    await Promise.race([this.#whenAllEnded(), sleep(clock, SHUTDOWN_GRACE_MS, graceTimer.signal).catch(() => {})]);
    graceTimer.abort();
    if (this.#jobs.size === 0) return;
    this.#isShutDown = true;
    const cancelTimer = clock.setTimer(DELIVERY_TIMEOUT_MS, () => this.#deliverySignal.abort());
    for (const job of this.#jobs) job.stop('shutdown');
    await this.#whenAllEnded();
    cancelTimer();
  }

  async #whenAllEnded(): Promise<void> {
    await Promise.all([...this.#unended].map(({ ended }) => ended));
  }

  #findRefusal(kind: JobKind<Context>, { key, userId, isLarge }: JobRequest): JobRefusal | undefined {
    const jobs = this.list(kind);
    if (jobs.some((job) => job.key === key)) return 'running';
    if (this.closing.aborted || jobs.length >= kind.maxJobs) return 'overloaded';
    if (isLarge && jobs.filter((job) => job.isLarge).length >= (kind.maxLargeJobs ?? kind.maxJobs)) return 'overloaded';
    return jobs.filter((job) => job.userId === userId).length >= kind.maxUserJobs ? 'full' : undefined;
  }

  #run(job: RunningJob, work: JobWork): void {
    if (this.#isShutDown) job.stop('shutdown');
    else job.isStoppable = true;
    this.#unended.add(job);
    job.ended = this.#work(job, work);
  }

  async #work(job: RunningJob, work: JobWork): Promise<void> {
    try {
      const outcome = await work(job);
      const isLeft = outcome === 'unfinished' || this.#deliverySignal.signal.aborted;
      if (isLeft && !job.isAbandoned) this.#chatsForNextProcess.add(job.chatTopic.chatId);
    } finally {
      this.#jobs.delete(job);
      this.#unended.delete(job);
    }
  }

  #listStoppable(kind: JobKind<Context>, scope: JobScope, userId: number) {
    return [...this.#jobs].filter(
      (job) => job.kind === kind && job.isStoppable && job.userId === userId && isWithin(job.chatTopic, scope),
    );
  }

  #listQueues(): readonly JobQueue[] {
    return this.kinds.flatMap(({ queue }) => queue?.(this.#context) ?? []);
  }
}
