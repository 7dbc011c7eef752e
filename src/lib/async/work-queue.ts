/** Thrown when the queue is full. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  /** True if the limit of this owner is reached, false if that of the whole queue. */
  readonly isOwn: boolean;
  constructor(isOwn: boolean) {
    super('Too many requests are already waiting.');
    this.isOwn = isOwn;
  }
}

export interface WorkQueueBounds {
  /** Maximum number of concurrent tasks. */
  readonly total: number;
  /** The same per owner. Default `total`. */
  readonly perOwner?: number;
  /** Maximum number of waiting tasks. */
  readonly maxWaiting: number;
  /** The same per owner. Default `maxWaiting`. */
  readonly maxWaitingPerOwner?: number;
}

export interface WorkOptions<Owner> {
  /** Owner of the task, such as a user or a network. Owners are served round-robin. */
  readonly owner?: Owner;
  /** Removes a waiting task from the queue. Has no effect on a running one. */
  readonly signal?: AbortSignal;
  /**
   * Called with the number of the owner's tasks before this one, at the beginning of the wait and after each change; 0
   * if only tasks of other owners are before it.
   */
  readonly onWaiting?: ((ahead: number) => void) | undefined;
}

interface Waiter {
  readonly start: () => void;
  /** Removes the task from the queue. */
  readonly leave: (reason: unknown) => void;
  readonly onWaiting: ((ahead: number) => void) | undefined;
}

/** Tasks of one owner. */
interface OwnerQueue {
  running: number;
  readonly waiting: Waiter[];
}

/** Bounded queue with limited concurrency, shared round-robin among owners. */
export class WorkQueue<Owner = string> {
  readonly #bounds: Required<WorkQueueBounds>;
  /** By owner; the owner whose task started last is at the end. */
  readonly #ownerQueues = new Map<Owner | undefined, OwnerQueue>();
  #runningCount = 0;
  #waitingCount = 0;

  constructor({ total, maxWaiting, perOwner = total, maxWaitingPerOwner = maxWaiting }: WorkQueueBounds) {
    this.#bounds = { total, perOwner, maxWaiting, maxWaitingPerOwner };
  }

  /**
   * Runs `work` when it is next.
   * @throws QueueFullError; the signal's reason if aborted while waiting; errors of `work` or `onWaiting`.
   */
  async run<Result>(work: () => Promise<Result>, options: WorkOptions<Owner> = {}): Promise<Result> {
    const { owner, signal } = options;
    signal?.throwIfAborted();
    const ownerQueue = this.#ownerQueues.get(owner) ?? { running: 0, waiting: [] };
    if (this.#hasCapacity(ownerQueue)) this.#begin(owner, ownerQueue);
    else await this.#wait(ownerQueue, options);
    try {
      return await work();
    } finally {
      this.#end(owner, ownerQueue);
    }
  }

  #hasCapacity(ownerQueue: OwnerQueue): boolean {
    return this.#runningCount < this.#bounds.total && ownerQueue.running < this.#bounds.perOwner;
  }

  #begin(owner: Owner | undefined, ownerQueue: OwnerQueue): void {
    this.#runningCount += 1;
    ownerQueue.running += 1;
    this.#ownerQueues.delete(owner);
    this.#ownerQueues.set(owner, ownerQueue);
  }

  #end(owner: Owner | undefined, ownerQueue: OwnerQueue): void {
    this.#runningCount -= 1;
    ownerQueue.running -= 1;
    this.#startNext();
    this.#tellPlaces(ownerQueue, 0);
    this.#forgetIfEmpty(owner, ownerQueue);
  }

  /** Starts at most one task, because one has ended. */
  #startNext(): void {
    for (const [owner, ownerQueue] of this.#ownerQueues) {
      const next = this.#hasCapacity(ownerQueue) ? ownerQueue.waiting.shift() : undefined;
      if (!next) continue;
      this.#waitingCount -= 1;
      this.#begin(owner, ownerQueue);
      next.start();
      return;
    }
  }

  async #wait(ownerQueue: OwnerQueue, { owner, signal, onWaiting }: WorkOptions<Owner>): Promise<void> {
    if (ownerQueue.waiting.length >= this.#bounds.maxWaitingPerOwner) throw new QueueFullError(true);
    if (this.#waitingCount >= this.#bounds.maxWaiting) throw new QueueFullError(false);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => waiter.leave(signal?.reason);
    const waiter: Waiter = {
      start: resolve,
      leave: (reason) => {
        const slot = ownerQueue.waiting.indexOf(waiter);
        if (slot < 0) return;
        ownerQueue.waiting.splice(slot, 1);
        this.#waitingCount -= 1;
        reject(reason);
        this.#tellPlaces(ownerQueue, slot);
        this.#forgetIfEmpty(owner, ownerQueue);
      },
      onWaiting,
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#ownerQueues.set(owner, ownerQueue);
    this.#waitingCount += 1;
    this.#tellPlaces(ownerQueue, ownerQueue.waiting.push(waiter) - 1);
    await promise.finally(() => signal?.removeEventListener('abort', onAbort));
  }

  #tellPlaces(ownerQueue: OwnerQueue, from: number): void {
    for (const [index, waiter] of ownerQueue.waiting.entries()) {
      if (index < from) continue;
      try {
        waiter.onWaiting?.(index + ownerQueue.running);
      } catch (error) {
        // `leave` notifies the remaining ones.
        waiter.leave(error);
        return;
      }
    }
  }

  #forgetIfEmpty(owner: Owner | undefined, ownerQueue: OwnerQueue): void {
    if (ownerQueue.running === 0 && ownerQueue.waiting.length === 0) this.#ownerQueues.delete(owner);
  }
}
