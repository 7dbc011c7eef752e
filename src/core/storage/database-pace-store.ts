import { inArray, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { storagePace } from '../../database/schema/index.ts';
import { acquire, type PaceStates, slowDownState, UNUSED_STATE } from './pace-state.ts';
import type { PaceStore } from './pace-store.ts';

/** Creates a rate limiter shared by all processes on one database. It uses the database's clock. */
export function createDatabasePaceStore({ db }: { readonly db: Database }): PaceStore {
  const existingKeys = new Set<string>();

  const addRows = async (keys: readonly string[]) => {
    const missingKeys = keys.filter((key) => !existingKeys.has(key));
    if (missingKeys.length === 0) return;
    const rows = missingKeys.map((key) => ({ key, state: UNUSED_STATE }));
    await db.insert(storagePace).values(rows).onConflictDoNothing();
    for (const key of missingKeys) existingKeys.add(key);
  };

  /** Runs `decide` while the rows are locked. Rows are locked in one order, so transactions can't deadlock. */
  const change = async <Result>(
    keys: readonly string[],
    decide: (states: PaceStates, now: number) => { readonly result: Result; readonly changed: PaceStates },
  ): Promise<Result> => {
    const ordered = [...new Set(keys)].sort();
    await addRows(ordered);
    return db.transaction(async (transaction) => {
      const rows = await transaction
        .select({
          key: storagePace.key,
          state: storagePace.state,
          now: sql<string>`extract(epoch from clock_timestamp())`,
        })
        .from(storagePace)
        .where(inArray(storagePace.key, ordered))
        .orderBy(storagePace.key)
        .for('update');
      const states = new Map(rows.map(({ key, state }) => [key, state]));
      const { result, changed } = decide(states, Number(rows[0]?.now ?? 0) * 1000);
      for (const [key, state] of changed)
        await transaction
          .insert(storagePace)
          .values({ key, state })
          .onConflictDoUpdate({ target: storagePace.key, set: { state } });
      return result;
    });
  };

  return {
    take: (routes) =>
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
