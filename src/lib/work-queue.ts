/** As much waits as may wait: of this person, or in all. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
  constructor() {
    super('Too many requests wait already.');
  }
}

export interface WorkQueueOptions {
  /** Works of one person at the same time. */
  readonly perPerson: number;
  /** Works in all at the same time. */
  readonly total: number;
  /** Works of one person that wait. */
  readonly maxWaiting: number;
  /** Works in all that wait. */
  readonly maxWaitingInAll: number;
}

/** Expensive work in the order in which people asked for it: so much at a time for each, the rest waits. */
export interface WorkQueue {
  /**
   * Runs `work` when it is its turn. While it waits, `onWaiting` hears how many of the person's works are still before
   * it (1 and more; 0 where only others hold it up), at the beginning and after each change.
   * @throws QueueFullError; the signal's reason when aborted while it waits; what `work` or `onWaiting` throws.
   */
  run<Result>(
    personId: number,
    signal: AbortSignal,
    work: () => Promise<Result>,
    onWaiting?: (ahead: number) => void,
  ): Promise<Result>;
}

interface Waiter {
  readonly personId: number;
  readonly start: () => void;
  /** Takes it out of the queue. */
  readonly leave: (reason: unknown) => void;
  readonly onWaiting: ((ahead: number) => void) | undefined;
  toldAhead: number | undefined;
}

/** Among those who may start the one that has waited longest does. */
export function createWorkQueue({ perPerson, total, ...limits }: WorkQueueOptions): WorkQueue {
  const waiters: Waiter[] = [];
  const running = new Map<number, number>();
  let runningInAll = 0;

  const mayStart = (personId: number) => runningInAll < total && (running.get(personId) ?? 0) < perPerson;
  const isFull = (personId: number) =>
    waiters.length >= limits.maxWaitingInAll ||
    waiters.filter((waiter) => waiter.personId === personId).length >= limits.maxWaiting;
  const begin = (personId: number) => {
    runningInAll += 1;
    running.set(personId, (running.get(personId) ?? 0) + 1);
  };
  const end = (personId: number) => {
    runningInAll -= 1;
    const left = (running.get(personId) ?? 1) - 1;
    if (left > 0) running.set(personId, left);
    else running.delete(personId);
    startNext();
  };
  const startNext = () => {
    for (let index = 0; index < waiters.length && runningInAll < total; ) {
      const waiter = waiters[index];
      if (!waiter || !mayStart(waiter.personId)) {
        index += 1;
        continue;
      }
      waiters.splice(index, 1);
      begin(waiter.personId);
      waiter.start();
    }
    tellPlaces();
  };
  const tellPlaces = () => {
    const before = new Map<number, number>();
    for (const waiter of [...waiters]) {
      const waitingBefore = before.get(waiter.personId) ?? 0;
      before.set(waiter.personId, waitingBefore + 1);
      const ahead = waitingBefore + (running.get(waiter.personId) ?? 0);
      if (waiter.toldAhead === ahead) continue;
      waiter.toldAhead = ahead;
      try {
        waiter.onWaiting?.(ahead);
      } catch (error) {
        // The others are told on the way.
        return waiter.leave(error);
      }
    }
  };
  const awaitTurn = (personId: number, signal: AbortSignal, onWaiting: Waiter['onWaiting']) =>
    new Promise<void>((resolve, reject) => {
      const onAbort = () => waiter.leave(signal.reason);
      const waiter: Waiter = {
        personId,
        start() {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
        leave(reason) {
          signal.removeEventListener('abort', onAbort);
          waiters.splice(waiters.indexOf(waiter), 1);
          reject(reason);
          tellPlaces();
        },
        onWaiting,
        toldAhead: undefined,
      };
      signal.addEventListener('abort', onAbort, { once: true });
      waiters.push(waiter);
      tellPlaces();
    });

  return {
    async run(personId, signal, work, onWaiting) {
      signal.throwIfAborted();
      if (mayStart(personId)) begin(personId);
      else if (isFull(personId)) throw new QueueFullError();
      else await awaitTurn(personId, signal, onWaiting);
      try {
        return await work();
      } finally {
        end(personId);
      }
    },
  };
}
