/** Thrown when a client, or all clients together, have as much work waiting as they may. */
export class FairQueueFullError extends Error {
  override readonly name = 'FairQueueFullError';
  /** Whether it is the client's own work that fills its queue. */
  readonly isOwnQueue: boolean;
  constructor(isOwnQueue: boolean) {
    super(isOwnQueue ? 'The queue of this client is full' : 'The queue is full');
    this.isOwnQueue = isOwnQueue;
  }
}

/** Bounded concurrency, shared among clients in turn. */
export interface FairSemaphore {
  /**
   * Runs `work` as soon as it is its turn. Each client has a queue of its own, and the queues are served in turn.
   * @throws FairQueueFullError; what the work throws.
   */
  run<Result>(client: string, work: () => Promise<Result>): Promise<Result>;
}

export function createFairSemaphore(limits: {
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerClient: number;
}): FairSemaphore {
  /** Those that wait, by client, in the order in which the clients are served. */
  const queues = new Map<string, (() => void)[]>();
  let runningCount = 0;
  let waitingCount = 0;

  const acquire = async (client: string) => {
    if (runningCount < limits.maxConcurrent) {
      runningCount++;
      return;
    }
    const queue = queues.get(client) ?? [];
    if (queue.length >= limits.maxWaitingPerClient) throw new FairQueueFullError(true);
    if (waitingCount >= limits.maxWaiting) throw new FairQueueFullError(false);
    const { promise, resolve } = Promise.withResolvers<void>();
    queue.push(resolve);
    queues.set(client, queue);
    waitingCount++;
    await promise;
  };
  const release = () => {
    const [next] = queues;
    if (!next) {
      runningCount--;
      return;
    }
    const [client, queue] = next;
    // Back to the end, behind the other clients.
    queues.delete(client);
    if (queue.length > 1) queues.set(client, queue);
    waitingCount--;
    queue.shift()?.();
  };

  return {
    async run(client, work) {
      await acquire(client);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
