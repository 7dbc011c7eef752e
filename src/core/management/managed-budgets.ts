import { and, asc, eq, gt, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys, budgets, users } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import {
  AMOUNT_FIELDS,
  type BudgetAmounts,
  type BudgetPeriod,
  createBudgets,
  type ScopeName,
  type SpentAmounts,
} from '../limits/index.ts';
import { type Change, carryOut } from './carry-out.ts';
import { type Page, type PageRequest, toPage } from './page.ts';

/** Budget that was set for one scope. */
export interface ManagedBudget {
  readonly scope: ScopeName;
  /** An undefined amount was not set for the scope. That of its plan or of the providers file applies. */
  readonly amounts: BudgetAmounts;
  /** Undefined if the scope has never been under a budget. */
  readonly spent: SpentAmounts | undefined;
}

/** Budgets that were set for single users, chats, keys and the instance. */
export interface ManagedBudgets {
  /** Lists the budgets that are set, by scope. */
  list(page: PageRequest): Promise<Page<ManagedBudget>>;
  /** All return undefined if there is no such user or key. */
  find(scope: ScopeName): Promise<ManagedBudget | undefined>;
  /** Replaces the amounts; those that are undefined are removed. */
  set(order: BudgetOrder, amounts: BudgetAmounts): Promise<ManagedBudget | undefined>;
  /** Adds to an amount. Returns `unset` if it was not set. */
  raise(
    order: BudgetOrder,
    raise: { readonly period: BudgetPeriod; readonly byUsd: number },
  ): Promise<ManagedBudget | 'unset' | undefined>;
}

type BudgetOrder = Change<ManagedBudget> & { readonly scope: ScopeName };

export function createManagedBudgets({ db, clock }: { readonly db: Database; readonly clock: Clock }): ManagedBudgets {
  const read = async (tx: Database, scope: ScopeName): Promise<ManagedBudget> => {
    const found = createBudgets({ db: tx, clock });
    const [amounts, spent] = [await found.readBudget(scope), await found.readSpent(scope)];
    return { scope, amounts, spent };
  };
  const find = async (tx: Database, scope: ScopeName) => ((await exists(tx, scope)) ? read(tx, scope) : undefined);
  const lockAndFind = (scope: ScopeName) => async (tx: Database) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`budget:${scope}`}, 0))`);
    return find(tx, scope);
  };
  return {
    async list({ limit, after }) {
      const isSet = or(isNotNull(budgets.usdPerDay), isNotNull(budgets.usdPerMonth), isNotNull(budgets.usdTotal));
      const rows = await db
        .select({ scope: budgets.scope })
        .from(budgets)
        .where(and(isSet, after && gt(budgets.scope, String(after[0]))))
        .orderBy(asc(budgets.scope))
        .limit(limit + 1);
      const page = toPage(rows, limit, { toItem: (row) => row, toKey: ({ scope }) => [scope] });
      return { items: await Promise.all(page.items.map(({ scope }) => read(db, scope))), next: page.next };
    },
    find: (scope) => find(db, scope),
    set: ({ scope, ...order }, { usdPerDay = null, usdPerMonth = null, usdTotal = null }) =>
      carryOut({ db, clock }, order, {
        read: lockAndFind(scope),
        async change(tx) {
          await createBudgets({ db: tx, clock }).setBudget(scope, { usdPerDay, usdPerMonth, usdTotal });
          const result = await read(tx, scope);
          return { result, entry: { action: 'set-budget', subject: scope, reason: describe(result.amounts) } };
        },
      }),
    raise: ({ scope, ...order }, { period, byUsd }) =>
      carryOut<ManagedBudget, ManagedBudget | 'unset'>({ db, clock }, order, {
        read: lockAndFind(scope),
        async change(tx, { amounts }) {
          const fromUsd = amounts[AMOUNT_FIELDS[period]];
          if (fromUsd === undefined) return { result: 'unset' };
          await createBudgets({ db: tx, clock }).raiseBudget(scope, { period, byUsd, fromUsd });
          const result = await read(tx, scope);
          return { result, entry: { action: 'raise-budget', subject: scope, reason: describe(result.amounts) } };
        },
      }),
  };
}

/** Returns whether the user or key of a scope exists. Chats are not known before they ask something. */
async function exists(db: Database, scope: ScopeName): Promise<boolean> {
  const [kind, id] = scope.split(':');
  if (kind === 'person')
    return (
      (
        await db
          .select()
          .from(users)
          .where(eq(users.id, Number(id)))
      ).length > 0
    );
  if (kind !== 'key') return true;
  const isThat = and(eq(apiKeys.id, Number(id)), isNull(apiKeys.revokedAt));
  return (await db.select({ id: apiKeys.id }).from(apiKeys).where(isThat)).length > 0;
}

/** Returns `$1 per day, $20 per month` for the audit log. */
function describe({ usdPerDay, usdPerMonth, usdTotal }: BudgetAmounts): string {
  const parts = [
    usdPerDay === undefined ? [] : [`$${usdPerDay} per day`],
    usdPerMonth === undefined ? [] : [`$${usdPerMonth} per month`],
    usdTotal === undefined ? [] : [`$${usdTotal} in total`],
  ].flat();
  return parts.join(', ') || 'none';
}
