import { gt, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { budgets } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { type BudgetAmounts, hasBudget } from './budget-amounts.ts';
import { MAX_WAIT_MS, ReservationTimeoutError } from './reservation-batcher.ts';

/**
 * Returns the budgets that are stored for single scopes, at most a second old.
 * @throws database errors; an error recognized by `isDatabaseAway` after 10 s.
 */
export type ReadStoredBudgets = () => Promise<ReadonlyMap<string, BudgetAmounts>>;

const TTL_MS = 1000;
/** Changes this much older than the newest known one are read again: transactions may commit later than they began. */
const OVERLAP = sql`interval '1 minute'`;

/** Keeps the rows of `budgets` in memory and reads what has changed, once a second at most, while they are asked for. */
export function createStoredBudgets({
  db,
  clock,
}: {
  readonly db: Database;
  readonly clock: Clock;
}): ReadStoredBudgets {
  const known = new Map<string, BudgetAmounts>();
  let newest: Date | undefined;
  let reading: { readonly at: number; readonly result: Promise<ReadonlyMap<string, BudgetAmounts>> } | undefined;

  const readChanges = async () => {
    const isRecent = newest && gt(budgets.updatedAt, sql`${newest.toISOString()}::timestamptz - ${OVERLAP}`);
    const rows = await db.select().from(budgets).where(isRecent);
    for (const row of rows) {
      const amounts = toAmounts(row);
      if (hasBudget(amounts)) known.set(row.scope, amounts);
      else known.delete(row.scope);
      if (!newest || row.updatedAt > newest) newest = row.updatedAt;
    }
    return known;
  };

  return () => {
    const now = clock.now();
    if (reading && Math.abs(now - reading.at) < TTL_MS) return reading.result;
    const timeout = Promise.withResolvers<never>();
    const cancel = clock.setTimer(MAX_WAIT_MS, () => timeout.reject(new ReservationTimeoutError()));
    const result = Promise.race([readChanges(), timeout.promise]).finally(cancel);
    const mine = { at: now, result };
    reading = mine;
    result.catch(() => {
      if (reading === mine) reading = undefined;
    });
    return result;
  };
}

export function toAmounts(row: typeof budgets.$inferSelect | undefined): BudgetAmounts {
  return {
    usdPerDay: row?.usdPerDay ?? undefined,
    usdPerMonth: row?.usdPerMonth ?? undefined,
    usdTotal: row?.usdTotal ?? undefined,
  };
}
