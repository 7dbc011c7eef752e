export interface NewDurableJob {
  /** Name of the work, under which it is cancelled. */
  readonly key: string;
  /** User whose work it is. Deleted with the user's data. */
  readonly userId: number;
  /** Text that only the kind reads. */
  readonly payload: string;
}

/** A job that this process runs. */
export interface DurableJob extends NewDurableJob {
  readonly id: number;
  readonly kind: string;
  /** Number of this attempt, from 1. */
  readonly attempts: number;
}

/** Work of the jobs of one kind, and its bounds. */
export interface DurableJobKind {
  /** Jobs that one process runs at the same time; further ones wait. */
  readonly maxRunning: number;
  /** Jobs of one user that run or wait, over all processes. */
  readonly maxPerUser: number;
  /** Jobs that run or wait, over all processes. */
  readonly maxOpen: number;
  /** Attempts, also those that ended with their process. */
  readonly maxAttempts: number;
  /** Time that a running job gets when its process stops. */
  readonly graceMs: number;
  /**
   * Does the work. A process that has lost the job may still be at it, so it must be harmless to do it twice.
   * @param signal aborts when the job is cancelled, is another process's, or the process stops; then end soon.
   * @throws errors after which it is tried again; RetryLaterError if this is not to count as an attempt.
   */
  run(job: DurableJob, signal: AbortSignal): Promise<void>;
  /** Ends the work of a job whose attempts have all failed. */
  giveUp(job: DurableJob): Promise<void>;
}

/** Thrown by the work of a job that can't begin now. */
export class RetryLaterError extends Error {
  override readonly name = 'RetryLaterError';
  readonly afterMs: number;
  constructor(afterMs: number, options?: ErrorOptions) {
    super('The work can not begin now', options);
    this.afterMs = afterMs;
  }
}

/** Thrown if too many jobs run or wait. */
export class TooManyJobsError extends Error {
  override readonly name = 'TooManyJobsError';
  constructor(kind: string) {
    super(`Too many jobs of the kind ${kind}`);
  }
}
