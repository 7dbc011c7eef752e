import { inArray, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { storageRateLimits } from '../../database/schema/index.ts';
import { acquire, type RateLimitStates, type RateLimitStore, slowDownState, UNUSED_STATE } from './rate-limit-store.ts';

/** Creates a rate limiter shared by all processes on one database. It uses the database's clock. */
export function createDatabaseRateLimitStore({ db }: { readonly db: Database }): RateLimitStore {
  const existingKeys = new Set<string>();

  const addRows = async (keys: readonly string[]) => {
    const missingKeys = keys.filter((key) => !existingKeys.has(key));
    if (missingKeys.length === 0) return;
    const rows = missingKeys.map((key) => ({ key, state: UNUSED_STATE }));
    await db.insert(storageRateLimits).values(rows).onConflictDoNothing();
    for (const key of missingKeys) existingKeys.add(key);
  };

  /** Runs `decide` while the rows are locked. Rows are locked in one order, so transactions can't deadlock. */
  const change = async <Result>(
    keys: readonly string[],
    decide: (states: RateLimitStates, now: number) => { readonly result: Result; readonly changed: RateLimitStates },
  ): Promise<Result> => {
    const ordered = [...new Set(keys)].sort();
    await addRows(ordered);
    return db.transaction(async (transaction) => {
      const rows = await transaction
        .select({
          key: storageRateLimits.key,
          state: storageRateLimits.state,
          now: sql<string>`extract(epoch from clock_timestamp())`,
        })
        .from(storageRateLimits)
        .where(inArray(storageRateLimits.key, ordered))
        .orderBy(storageRateLimits.key)
        .for('update');
      const states = new Map(rows.map(({ key, state }) => [key, state]));
      const { result, changed } = decide(states, Number(rows[0]?.now ?? 0) * 1000);
      for (const [key, state] of changed)
        await transaction
          .insert(storageRateLimits)
          .values({ key, state })
          .onConflictDoUpdate({ target: storageRateLimits.key, set: { state } });
      return result;
    });
  };

  return {
    acquire: (routes) =>
      change(
        routes.flatMap(({ budgets }) => budgets.map(({ key }) => key)),
        (states, now) => {
          const { decision, changed } = acquire(states, routes, now);
          return { result: decision, changed };
        },
      ),
    slowDown: (key, freezeMs) =>
      change([key], (states, now) => ({
        result: undefined,
        changed: new Map([[key, slowDownState(states.get(key), freezeMs, now)]]),
      })),
  };
}
