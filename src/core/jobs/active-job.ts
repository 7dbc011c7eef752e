import type { Job, JobRequest } from './job.ts';

/** Reason of an aborted signal: the first cause of the stop. */
export class WorkStoppedError extends Error {
  override readonly name = 'WorkStoppedError';
  /**
   * `user`: pressed Stop; `shutdown`: the process ends; `chat`: it accepts no messages; `other-process`: has taken over
   * the chat; `new-question`: the answer is generated again.
   */
  readonly by: 'user' | 'shutdown' | 'chat' | 'other-process' | 'new-question';
  constructor(by: WorkStoppedError['by']) {
    super(`The work was stopped by ${by}`);
    this.by = by;
  }
}

/** Job with the means to stop it. */
export class ActiveJob<Request extends JobRequest = JobRequest> implements Job<Request> {
  readonly request: Request;
  id: JobRequest['id'];
  isRunning = false;
  isStoppable = false;
  /** Begins the work. Undefined while it is being recorded. */
  begin: (() => Promise<void>) | undefined;
  /** Resolves when the work has ended. */
  ended: Promise<void> | undefined;
  readonly #stopping = new AbortController();
  readonly #delivery = new AbortController();
  readonly #takeover = new AbortController();

  constructor(request: Request) {
    this.request = request;
    this.id = request.id;
  }

  get stopSignal(): AbortSignal {
    return this.#stopping.signal;
  }

  get deliverySignal(): AbortSignal {
    return this.#delivery.signal;
  }

  get takeoverSignal(): AbortSignal {
    return this.#takeover.signal;
  }

  stop(by: WorkStoppedError['by']): void {
    this.isStoppable = false;
    this.#stopping.abort(new WorkStoppedError(by));
  }

  endDelivery(): void {
    this.#delivery.abort();
  }

  abandon(): void {
    this.#takeover.abort();
    this.stop('other-process');
  }
}

/** Returns whether two jobs of a queue run at the same time. */
export function isOfBatch({ request: { batch } }: Job, other: Job): boolean {
  return batch !== undefined && batch === other.request.batch;
}

/** Counts the batches of jobs. */
export function countBatches(jobs: readonly Job[]): number {
  return new Set(jobs.map((job) => job.request.batch ?? job)).size;
}
