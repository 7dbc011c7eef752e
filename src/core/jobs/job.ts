import type { ChatTopic } from '../conversations/index.ts';

/** Scope of a user's jobs: one topic, all topics of its chat, or all chats. */
export type JobScope = (ChatTopic & { readonly hasAllTopics?: boolean }) | 'everywhere';

export function isWithin(chatTopic: ChatTopic, scope: JobScope): boolean {
  if (scope === 'everywhere') return true;
  return chatTopic.chatId === scope.chatId && (scope.hasAllTopics === true || chatTopic.topicId === scope.topicId);
}

/** Request of a job, and what decides when it runs. */
export interface JobRequest {
  /** A job is refused while another one of its kind with the same key runs. Default: no key. */
  readonly key?: string;
  /**
   * Id of the stored work that the job does. Another process that takes over the chat recovers it from the database; a
   * job without an id ends in this process. Default none, or set while the work is recorded.
   */
  readonly id?: number | string;
  readonly userId: number;
  /** Chat and topic that it belongs to. */
  readonly chatTopic: ChatTopic;
  /** Its input is in memory while it waits: see `maxLargeJobs`. Default false. */
  readonly isLarge?: boolean;
  /** Default true. */
  readonly isStoppable?: boolean;
  /** Jobs of a kind with the same queue run one after the other. Default: it runs at once. */
  readonly queue?: string;
  /** Jobs of a queue with the same batch run at the same time. Default: a batch of its own. */
  readonly batch?: number | undefined;
  /** A stop does not drop it while it waits. Default false. */
  readonly staysQueued?: boolean;
}

/** Job of this process, which runs independently of update handling. */
export interface Job<Request extends JobRequest = JobRequest> {
  readonly request: Request;
  id: JobRequest['id'];
  readonly isRunning: boolean;
  /** False while there is nothing to stop. */
  isStoppable: boolean;
  /** Aborts the work with a `WorkStoppedError`; finished results are still delivered. */
  readonly stopSignal: AbortSignal;
  /** Aborts the delivery: the process is about to exit, or, unless the kind `recordsSends`, another one has taken over the chat. */
  readonly deliverySignal: AbortSignal;
  /** Aborts when another process has taken over the chat, also after a stop by the user. Nothing new is sent or stored. */
  readonly takeoverSignal: AbortSignal;
}

/** Work of a job. `unfinished`: the next process continues it. */
export type JobWork = (job: Job) => Promise<'unfinished' | 'settled' | undefined> | Promise<void>;

/**
 * Reason for a refusal: the key has a running job, or the work is already recorded (`running`); the user has too many
 * jobs (`full`); all users together have, or the process is ending (`overloaded`).
 */
export type JobRefusal = 'running' | 'full' | 'overloaded';

/** Numbers of stopped jobs, and of batches that were dropped before they began. */
export interface StoppedCounts {
  readonly stoppedCount: number;
  readonly droppedCount: number;
}

/** Kind of job: a value that its feature lists. Everything that concerns all jobs goes through the list. */
export interface JobKind<Context, Request extends JobRequest = JobRequest> {
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
  /** Forgets what this process knows of the stored work of a chat that another one has taken over. Default: nothing. */
  readonly abandon?: (context: Context, chatId: number) => void;
  /**
   * Each send is recorded before it begins, so the process that takes over the chat finds one that is under way: it is
   * completed, and the job keeps its place until it has ended. Default false: the delivery is aborted, and the place is free at once.
   */
  readonly recordsSends?: boolean;
  /** Records that a waiting job will not run. Default: nothing is to be done. */
  drop?(context: Context, request: Request): Promise<void>;
}
