/** As much work waits as may wait. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  /** Whether it is the owner's own work that waits; else that of all together. */
  readonly isOwn: boolean;
  constructor(isOwn: boolean) {
    super('Too many requests wait already.');
    this.isOwn = isOwn;
  }
}

export interface WorkQueueBounds {
  /** Works that run at the same time. */
  readonly total: number;
  /** The same for the works of one owner. Default `total`. */
  readonly perOwner?: number;
  /** Works that wait. */
  readonly maxWaiting: number;
  /** The same for the works of one owner. Default `maxWaiting`. */
  readonly maxWaitingPerOwner?: number;
}

export interface WorkOptions<Owner> {
  /** Who asks for it, a person or a network. Owners take turns. */
  readonly owner?: Owner;
  /** Takes the work out of the queue. Once it runs, an abort is its own affair. */
  readonly signal?: AbortSignal;
  /**
   * Hears how many of the owner's works are still before this one while it waits (0 where only others hold it up): at
   * the beginning and after each change.
   */
  readonly onWaiting?: ((ahead: number) => void) | undefined;
}

interface Waiter {
  readonly start: () => void;
  /** Takes it out of the queue. */
  readonly leave: (reason: unknown) => void;
  readonly onWaiting: ((ahead: number) => void) | undefined;
}

/** The works of one owner. */
interface Lane {
  running: number;
  readonly waiting: Waiter[];
}

/** Bounded concurrency, shared among owners in turn. */
export class WorkQueue<Owner = string> {
  readonly #bounds: Required<WorkQueueBounds>;
  /** By owner; whose work has begun last stands last. */
  readonly #lanes = new Map<Owner | undefined, Lane>();
  #runningCount = 0;
  #waitingCount = 0;

  constructor({ total, maxWaiting, perOwner = total, maxWaitingPerOwner = maxWaiting }: WorkQueueBounds) {
    this.#bounds = { total, perOwner, maxWaiting, maxWaitingPerOwner };
  }

  /**
   * Runs `work` when it is its turn.
   * @throws QueueFullError; the signal's reason when aborted while it waits; what `work` or `onWaiting` throws.
   */
  async run<Result>(work: () => Promise<Result>, options: WorkOptions<Owner> = {}): Promise<Result> {
    const { owner, signal } = options;
    signal?.throwIfAborted();
    const lane = this.#lanes.get(owner) ?? { running: 0, waiting: [] };
    if (this.#hasRoom(lane)) this.#begin(owner, lane);
    else await this.#wait(lane, options);
    try {
      return await work();
    } finally {
      this.#end(owner, lane);
    }
  }

  #hasRoom(lane: Lane): boolean {
    return this.#runningCount < this.#bounds.total && lane.running < this.#bounds.perOwner;
  }

  #begin(owner: Owner | undefined, lane: Lane): void {
    this.#runningCount += 1;
    lane.running += 1;
    this.#lanes.delete(owner);
    this.#lanes.set(owner, lane);
  }

  #end(owner: Owner | undefined, lane: Lane): void {
    this.#runningCount -= 1;
    lane.running -= 1;
    this.#startNext();
    this.#tellPlaces(lane, 0);
    this.#forgetIfEmpty(owner, lane);
  }

  /** One work has ended, so there is room for one at most. */
  #startNext(): void {
    for (const [owner, lane] of this.#lanes) {
      const next = this.#hasRoom(lane) ? lane.waiting.shift() : undefined;
      if (!next) continue;
      this.#waitingCount -= 1;
      this.#begin(owner, lane);
      next.start();
      return;
    }
  }

  async #wait(lane: Lane, { owner, signal, onWaiting }: WorkOptions<Owner>): Promise<void> {
    if (lane.waiting.length >= this.#bounds.maxWaitingPerOwner) throw new QueueFullError(true);
    if (this.#waitingCount >= this.#bounds.maxWaiting) throw new QueueFullError(false);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => waiter.leave(signal?.reason);
    const waiter: Waiter = {
      start: resolve,
      leave: (reason) => {
        const place = lane.waiting.indexOf(waiter);
        if (place < 0) return;
        lane.waiting.splice(place, 1);
        this.#waitingCount -= 1;
        reject(reason);
        this.#tellPlaces(lane, place);
        this.#forgetIfEmpty(owner, lane);
      },
      onWaiting,
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#lanes.set(owner, lane);
    this.#waitingCount += 1;
    this.#tellPlaces(lane, lane.waiting.push(waiter) - 1);
    await promise.finally(() => signal?.removeEventListener('abort', onAbort));
  }

  #tellPlaces(lane: Lane, from: number): void {
    for (const [index, waiter] of lane.waiting.entries()) {
      if (index < from) continue;
      try {
        waiter.onWaiting?.(index + lane.running);
      } catch (error) {
        // The others are told on the way.
        waiter.leave(error);
        return;
      }
    }
  }

  #forgetIfEmpty(owner: Owner | undefined, lane: Lane): void {
    if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(owner);
  }
}
