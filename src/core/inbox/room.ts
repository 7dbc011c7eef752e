import type { Clock } from '../../lib/clock.ts';
import type { IncomingUpdate, UpdateStore, WaitingCounts } from './update-store.ts';

export interface RoomOptions {
  /** Updates that may wait in one lane. */
  readonly perLane: number;
  /** Updates that may wait in all. */
  readonly inAll: number;
  /** No other process fills the room. */
  readonly isAlone: boolean;
}

/** How many more updates the inbox may take in. To be asked by one at a time. */
export interface Room {
  /** Of each batch as many as fit, from its first; they count as taken from then on. */
  fit(batches: readonly (readonly IncomingUpdate[])[]): Promise<readonly (readonly IncomingUpdate[])[]>;
}

/** After that long it is asked what other processes have taken in: so long they may together exceed the bounds. */
const OTHERS_COUNTED_MS = 1000;

/**
 * Counts what waits as rarely as it can: what was taken in since is added, what was handled since is not taken off. So it knows of too
 * many rather than of too few, and asks the database before it turns anything away.
 */
export function createRoom(
  { store, clock }: { readonly store: Pick<UpdateStore, 'countWaiting'>; readonly clock: Clock },
  { perLane, inAll, isAlone }: RoomOptions,
): Room {
  let taken: Taken | undefined;
  let countedAt = 0;

  const count = async () => {
    countedAt = clock.now();
    taken = toTaken(await store.countWaiting());
    return taken;
  };

  const tryToFit = (known: Taken, batches: readonly (readonly IncomingUpdate[])[]) =>
    batches.map((batch) => {
      const firstLeft = batch.findIndex(({ lane }) => {
        const inLane = known.byLane.get(lane) ?? 0;
        if (known.total >= inAll || inLane >= perLane) return true;
        known.byLane.set(lane, inLane + 1);
        known.total += 1;
        return false;
      });
      return firstLeft === -1 ? batch : batch.slice(0, firstLeft);
    });

  return {
    async fit(batches) {
      const isCounted = taken !== undefined && (isAlone || clock.now() < countedAt + OTHERS_COUNTED_MS);
      const fitting = tryToFit(isCounted && taken ? taken : await count(), batches);
      const isAllIn = fitting.every((batch, at) => batch.length === batches[at]?.length);
      return isAllIn || !isCounted ? fitting : tryToFit(await count(), batches);
    },
  };
}

/** What waited when it was counted, and what was taken in since. */
interface Taken {
  total: number;
  readonly byLane: Map<number, number>;
}

function toTaken({ total, byLane }: WaitingCounts): Taken {
  return { total, byLane: new Map(byLane) };
}
