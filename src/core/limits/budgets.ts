import { eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { budgets } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { MAX_DOLLARS } from '../../lib/dollars.ts';
import { withoutUndefined } from '../../lib/json/without-undefined.ts';
import {
  AMOUNT_FIELDS,
  type BudgetAmounts,
  type BudgetPeriod,
  NOTHING_SPENT,
  type SpentAmounts,
} from './budget-amounts.ts';
import { readSpent } from './limit-statements.ts';
import type { ScopeName } from './limited-scopes.ts';
import { toAmounts } from './stored-budgets.ts';

/** Changes of a budget: an undefined field stays as it is, null removes the amount that was set. */
export type BudgetChanges = { readonly [Field in keyof BudgetAmounts]: number | null | undefined };

/** Amount by which a budget is raised. */
export interface BudgetRaise {
  readonly period: BudgetPeriod;
  readonly byUsd: number;
  /** The budget that applies if none was set for the scope: that of its plan or of the providers file. */
  readonly fromUsd: number;
}

/** Budgets that were set for single scopes. Changes apply to new requests of all processes within a second. */
export type Budgets = ReturnType<typeof createBudgets>;

/** By the database's clock: processes read what has changed since the newest row they know. */
const NOW = sql`now()`;

export function createBudgets({ db, clock }: { readonly db: Database; readonly clock: Clock }) {
  /**
   * Changes the amounts of a scope and returns the new ones.
   * @param changes from 0 to `MAX_DOLLARS`, at most nine decimals (`dollarsSchema`).
   */
  const update = async (scope: ScopeName, changes: BudgetChanges): Promise<BudgetAmounts> => {
    const values = { ...withoutUndefined(changes), updatedAt: NOW };
    const [row] = await db
      .insert(budgets)
      .values({ scope, ...values })
      .onConflictDoUpdate({ target: budgets.scope, set: values })
      .returning();
    return toAmounts(row);
  };

  return {
    /** Returns the amounts that were set for the scope; none if there are none. */
    async readBudget(scope: ScopeName): Promise<BudgetAmounts> {
      const [row] = await db.select().from(budgets).where(eq(budgets.scope, scope));
      return toAmounts(row);
    },
    /** Returns the same of several scopes, without those that have none. */
    async readAllBudgets(scopes: readonly ScopeName[]): Promise<Readonly<Record<ScopeName, BudgetAmounts>>> {
      const rows = await db
        .select()
        .from(budgets)
        .where(inArray(budgets.scope, [...scopes]));
      return Object.fromEntries(rows.map((row) => [row.scope, toAmounts(row)]));
    },
    setBudget: update,
    /** Adds to the amount of one period, at most up to `MAX_DOLLARS`. Concurrent raises add up. */
    async raiseBudget(scope: ScopeName, { period, byUsd, fromUsd }: BudgetRaise): Promise<BudgetAmounts> {
      const field = AMOUNT_FIELDS[period];
      const raised = (from: unknown) => sql`least(${from}::numeric + ${byUsd}::numeric, ${MAX_DOLLARS})`;
      const [row] = await db
        .insert(budgets)
        .values({ scope, updatedAt: NOW, [field]: raised(fromUsd) })
        .onConflictDoUpdate({
          target: budgets.scope,
          set: { updatedAt: NOW, [field]: raised(sql`coalesce(${budgets[field]}, ${fromUsd}::numeric)`) },
        })
        .returning();
      return toAmounts(row);
    },
    /** Returns what the scope has spent, without what requests in flight have reserved. */
    async readSpent(scope: ScopeName): Promise<SpentAmounts> {
      return (await readSpent(db, [scope], clock.now()))[scope] ?? NOTHING_SPENT;
    },
    /** Returns the same of several scopes, by one statement. */
    readAllSpent: (scopes: readonly ScopeName[]): Promise<Readonly<Record<ScopeName, SpentAmounts>>> =>
      readSpent(db, scopes, clock.now()),
  };
}
