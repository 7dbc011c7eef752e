import type { ChatTopic } from '../conversations/index.ts';
import type { JobScope } from './job-scope.ts';

/** Request of a job, and what identifies it. */
export interface JobRequest {
  /** Two jobs of a kind with the same key do not run at the same time: the later one is refused. */
  readonly key: string;
  /**
   * Id of the stored work that the job does. Another process that takes over the chat recovers it from the database; a
   * job without an id ends in this process. Default none.
   */
  id?: number | string | undefined;
  readonly userId: number;
  /** Chat and topic that it belongs to. */
  readonly chatTopic: ChatTopic;
  /** Its input is in memory while it waits: see `maxLargeJobs`. Default false. */
  readonly isLarge?: boolean;
}

/** Job that runs in this process, independently of update handling. */
export interface Job extends JobRequest {
  /** False while there is nothing to stop. */
  isStoppable: boolean;
  /** Aborts the work with a `WorkStoppedError`; finished results are still delivered. */
  readonly stopSignal: AbortSignal;
  /** Aborts the delivery: the process is about to exit, or another one has taken over the chat. */
  readonly deliverySignal: AbortSignal;
}

/** Work of a job; never throws. `unfinished`: the next process continues it. */
export type JobWork = (job: Job) => Promise<JobOutcome>;
// biome-ignore lint/suspicious/noConfusingVoidType: most kinds of work return nothing.
export type JobOutcome = 'unfinished' | 'settled' | void;

/**
 * Reason for a refusal: the key has a running job, or the work is already recorded (`running`); the user has too many
 * jobs (`full`); all users together have, or the process is ending (`overloaded`).
 */
export type JobRefusal = 'running' | 'full' | 'overloaded';

/** Numbers of stopped jobs, and of those that were dropped before they began. */
export interface StoppedCounts {
  readonly stoppedCount: number;
  readonly droppedCount: number;
}

/** Kind of job: a value that its feature lists. Everything that concerns all jobs goes through the list. */
export interface JobKind<Context> {
  /** Label of metrics: `image`. */
  readonly name: string;
  /** Maximum number of jobs in all, and of one user, waiting ones included. */
  readonly maxJobs: number;
  readonly maxUserJobs: number;
  /** Maximum number of large jobs. Default `maxJobs`. */
  readonly maxLargeJobs?: number;
  /**
   * Resumes or reports the stored work of a chat that a crash has interrupted, except that of jobs that run here. Never
   * throws; ends early when the signal aborts. Default: nothing is stored, and a crash loses the work.
   */
  readonly recover?: (context: Context, chatId: number, signal: AbortSignal) => Promise<void>;
  /** Jobs of the kind that are outside of the registry. Default none. */
  readonly queue?: (context: Context) => JobQueue;
}

/** Jobs with a queue of their own. */
export interface JobQueue {
  listBusyChats(): ReadonlySet<number>;
  stop(scope: JobScope, userId: number): Promise<StoppedCounts>;
  hasWork(scope: JobScope, userId: number): boolean;
  whenEnded(userId: number): Promise<void>;
  abandon(chatId: number): void;
  close(): Promise<void>;
}
