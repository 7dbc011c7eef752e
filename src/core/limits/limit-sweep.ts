import type { Database } from '../../database/connect.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { findLostReservations, removeOldRows } from './limit-statements.ts';
import type { ReservationBatcher } from './reservation-batcher.ts';

interface SweepDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

const SWEEP_EVERY_MS = 3_600_000;

/**
 * Removes old rows and settles the reservations that killed processes left behind, once an hour.
 * @returns a function that stops it.
 */
export function startSweep(deps: SweepDeps, batcher: Pick<ReservationBatcher, 'settle' | 'flush'>): () => void {
  const { clock, logger } = deps;
  let cancel = () => {};
  const schedule = () => {
    cancel = clock.setTimer(SWEEP_EVERY_MS, () => {
      sweep(deps, batcher).catch((error: unknown) =>
        logger.warn({ reason: describeError(error) }, 'old limit counters could not be removed'),
      );
      schedule();
    });
  };
  schedule();
  return () => cancel();
}

async function sweep(
  { db, clock, logger }: SweepDeps,
  batcher: Pick<ReservationBatcher, 'settle' | 'flush'>,
): Promise<void> {
  await removeOldRows(db, clock.now());
  const lost = await findLostReservations(db, clock.now());
  if (lost.length === 0) return;
  logger.warn({ count: lost.length }, 'requests that a killed process left behind are counted as they were reserved');
  for (const settlement of lost) batcher.settle(settlement);
  await batcher.flush();
}
