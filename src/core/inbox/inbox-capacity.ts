import type { Clock } from '../../lib/clock.ts';
import type { IncomingUpdate, UpdateStore, WaitingCounts } from './update-store.ts';

export interface InboxBounds {
  /** Maximum number of waiting updates in one chat queue. */
  readonly perQueue: number;
  /** Maximum number of waiting updates in all chat queues together. */
  readonly inAll: number;
  /** No other process adds updates. */
  readonly isOnlyProcess: boolean;
}

/**
 * Age after which the cached count is read again. Within this time several processes together may exceed the bounds.
 */
const OTHERS_COUNTED_MS = 1000;

/**
 * Creates a capacity check that caches the count of waiting updates. Accepted updates are added to the cached count,
 * handled ones are not subtracted, so it is never too low for this process. Before rejecting updates it reads the count
 * from the database.
 */
export function createCapacity(
  { store, clock }: { readonly store: Pick<UpdateStore, 'countWaiting'>; readonly clock: Clock },
  { perQueue, inAll, isOnlyProcess }: InboxBounds,
) {
  let taken: Taken | undefined;
  let countedAt = 0;

  const count = async () => {
    countedAt = clock.now();
    taken = toTaken(await store.countWaiting());
    return taken;
  };

  const tryToFit = (known: Taken, batches: readonly (readonly IncomingUpdate[])[]) =>
    batches.map((batch) => {
      const firstLeft = batch.findIndex(({ chatQueue }) => {
        const inQueue = known.byChatQueue.get(chatQueue) ?? 0;
        if (known.total >= inAll || inQueue >= perQueue) return true;
        known.byChatQueue.set(chatQueue, inQueue + 1);
        known.total += 1;
        return false;
      });
      return firstLeft === -1 ? batch : batch.slice(0, firstLeft);
    });

  return {
    /** Returns of each batch the leading updates that fit; they count as waiting from then on. */
    async fit(batches: readonly (readonly IncomingUpdate[])[]): Promise<readonly (readonly IncomingUpdate[])[]> {
      const isCounted = taken !== undefined && (isOnlyProcess || clock.now() < countedAt + OTHERS_COUNTED_MS);
      const fitting = tryToFit(isCounted && taken ? taken : await count(), batches);
      const isAllIn = fitting.every((batch, at) => batch.length === batches[at]?.length);
      return isAllIn || !isCounted ? fitting : tryToFit(await count(), batches);
    },
  };
}

/** Waiting updates at the last count plus those accepted since. */
interface Taken {
  total: number;
  readonly byChatQueue: Map<number, number>;
}

function toTaken({ total, byChatQueue }: WaitingCounts): Taken {
  return { total, byChatQueue: new Map(byChatQueue) };
}
