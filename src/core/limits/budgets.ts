import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { budgets, limitCounters } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { MAX_DOLLARS } from '../../lib/dollars.ts';
import { AMOUNT_FIELDS, type BudgetAmounts, type BudgetPeriod } from './budget-amounts.ts';

/** Name of a scope as in `limit_counters`: `person:5`, `key:12`, `chat:-1001234567890`, `instance`. */
export type ScopeName = string;

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
export interface Budgets {
  /** Returns the amounts that were set for the scope; none if there are none. */
  readBudget(scope: ScopeName): Promise<BudgetAmounts>;
  /**
   * Changes the amounts of a scope and returns the new ones.
   * @param changes from 0 to `MAX_DOLLARS`, at most nine decimals (`dollarsSchema`).
   */
  setBudget(scope: ScopeName, changes: BudgetChanges): Promise<BudgetAmounts>;
  /** Adds to the amount of one period, at most up to `MAX_DOLLARS`. Concurrent raises add up. */
  raiseBudget(scope: ScopeName, raise: BudgetRaise): Promise<BudgetAmounts>;
  /** Returns what the scope has spent; undefined if it has never been under a budget. */
  readSpent(scope: ScopeName): Promise<SpentAmounts | undefined>;
}

/** Recorded costs of a scope in US dollars, without those of requests in flight. */
export interface SpentAmounts {
  readonly dayUsd: number;
  readonly monthUsd: number;
  /** Since the first budget of the scope. */
  readonly totalUsd: number;
}

export function createBudgets({ db, clock }: { readonly db: Database; readonly clock: Clock }): Budgets {
  const update = async (scope: ScopeName, changes: BudgetChanges): Promise<BudgetAmounts> => {
    const values = { ...withoutUndefined(changes), updatedAt: new Date(clock.now()) };
    const [row] = await db
      .insert(budgets)
      .values({ scope, ...values })
      .onConflictDoUpdate({ target: budgets.scope, set: values })
      .returning();
    return toAmounts(row);
  };

  return {
    async readBudget(scope) {
      const [row] = await db.select().from(budgets).where(eq(budgets.scope, scope));
      return toAmounts(row);
    },
    setBudget: update,
    async raiseBudget(scope, { period, byUsd, fromUsd }) {
      const field = AMOUNT_FIELDS[period];
      const updatedAt = new Date(clock.now());
      const raised = (from: unknown) => sql`least(${from}::numeric + ${byUsd}::numeric, ${MAX_DOLLARS})`;
      const [row] = await db
        .insert(budgets)
        .values({ scope, updatedAt, [field]: raised(fromUsd) })
        .onConflictDoUpdate({
          target: budgets.scope,
          set: { updatedAt, [field]: raised(sql`coalesce(${budgets[field]}, ${fromUsd}::numeric)`) },
        })
        .returning();
      return toAmounts(row);
    },
    async readSpent(scope) {
      const [row] = await db.select().from(limitCounters).where(eq(limitCounters.scope, scope));
      if (!row?.month) return undefined;
      const today = new Date(clock.now()).toISOString().slice(0, 10);
      const isThisMonth = row.month.slice(0, 7) >= today.slice(0, 7);
      return {
        dayUsd: row.day >= today ? row.dayUsd : 0,
        monthUsd: isThisMonth ? row.monthUsd : 0,
        totalUsd: row.totalUsd,
      };
    },
  };
}

function toAmounts(row: typeof budgets.$inferSelect | undefined): BudgetAmounts {
  return {
    usdPerDay: row?.usdPerDay ?? undefined,
    usdPerMonth: row?.usdPerMonth ?? undefined,
    usdTotal: row?.usdTotal ?? undefined,
  };
}

function withoutUndefined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}
