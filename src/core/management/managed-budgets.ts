import { and, asc, eq, gt, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys, budgets, groups, users } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { markAdminRules } from '../accounts/index.ts';
import { findPayingPlan } from '../groups/index.ts';
import {
  AMOUNT_FIELDS,
  type BudgetAmounts,
  type BudgetPeriod,
  type BudgetScope,
  createBudgets,
  type InstanceBudget,
  NOTHING_SPENT,
  type Plans,
  parseScope,
  printScope,
  resolveBudget,
  type ScopeName,
  type SpentAmounts,
  toPlan,
} from '../limits/index.ts';
import type { AccessRules } from './access-rules.ts';
import { type ChangeRequest, changeAudited } from './change-audited.ts';
import { planOf } from './managed-users.ts';
import { type Page, type PageRequest, toPage } from './page.ts';
import { findUserNames } from './user-names.ts';

/** Budget of one scope. */
export interface ManagedBudget {
  readonly scope: ScopeName;
  /** Amounts that were set for the scope. */
  readonly amounts: BudgetAmounts;
  /** Name of the plan that the other amounts come from; undefined for the instance and for groups whose users pay. */
  readonly plan: string | undefined;
  /** Amounts of the plan, or of the providers file for the instance. */
  readonly configured: BudgetAmounts;
  /** Amounts that apply. An undefined one is unlimited. */
  readonly effective: BudgetAmounts;
  readonly spent: SpentAmounts;
  /** What admins call the user, or the owner of the key; undefined without a note or a stored name. */
  readonly name: string | undefined;
}

type BudgetChangeRequest = ChangeRequest<ManagedBudget> & { readonly scope: ScopeName };

export interface ManagedBudgetsDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Its fields are read at each call, so that a reloaded configuration takes effect. */
  readonly rules: AccessRules & { readonly plans: Plans; readonly budget?: InstanceBudget | undefined };
}

/** Reads and changes budgets of users, chats, keys and the instance. */
export function createManagedBudgets({ db, clock, rules }: ManagedBudgetsDeps) {
  const read = async (tx: Database, scope: ScopeName): Promise<ManagedBudget | undefined> => {
    return (await readAll({ db: tx, clock, rules }, [scope]))[0];
  };
  const find = async (tx: Database, scope: ScopeName) => ((await exists(tx, scope)) ? read(tx, scope) : undefined);
  const lockAndFind = (scope: ScopeName) => async (tx: Database) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`budget:${scope}`}, 0))`);
    return find(tx, scope);
  };
  /** Returns the changed budget with its audit entry. */
  const toAudited = async (tx: Database, action: 'set-budget' | 'raise-budget', current: ManagedBudget) => {
    const result = (await read(tx, current.scope)) ?? current;
    return { result, entry: { action, subject: current.scope, reason: describeBudget(result.amounts) } };
  };
  return {
    /** Lists the budgets that are set, by scope. */
    async list({ limit, after }: PageRequest): Promise<Page<ManagedBudget>> {
      const isSet = or(isNotNull(budgets.usdPerDay), isNotNull(budgets.usdPerMonth), isNotNull(budgets.usdTotal));
      const rows = await db
        .select({ scope: budgets.scope })
        .from(budgets)
        .where(and(isSet, after && gt(budgets.scope, String(after[0]))))
        .orderBy(asc(budgets.scope))
        .limit(limit + 1);
      const page = toPage(rows, limit, { toItem: ({ scope }) => scope, toKey: ({ scope }) => [scope] });
      return { items: await readAll({ db, clock, rules }, page.items), next: page.next };
    },
    /** All return undefined if there is no such user or key. */
    find: (scope: ScopeName): Promise<ManagedBudget | undefined> => find(db, scope),
    /** Replaces the amounts; those that are undefined are removed. */
    set: ({ scope, ...options }: BudgetChangeRequest, amounts: BudgetAmounts): Promise<ManagedBudget | undefined> =>
      changeAudited({ db, clock }, options, {
        read: lockAndFind(scope),
        async change(tx, current) {
          const isSame =
            current.amounts.usdPerDay === amounts.usdPerDay &&
            current.amounts.usdPerMonth === amounts.usdPerMonth &&
            current.amounts.usdTotal === amounts.usdTotal;
          if (isSame) return { result: current };
          const { usdPerDay = null, usdPerMonth = null, usdTotal = null } = amounts;
          await createBudgets({ db: tx, clock }).setBudget(scope, { usdPerDay, usdPerMonth, usdTotal });
          await markKey(
            tx,
            scope,
            [usdPerDay, usdPerMonth, usdTotal].some((amount) => amount !== null),
          );
          return toAudited(tx, 'set-budget', current);
        },
      }),
    /** Adds to the amount that applies, which becomes one that is set. Returns `unlimited` if there is none. */
    raise: (
      { scope, ...options }: BudgetChangeRequest,
      { period, byUsd }: { readonly period: BudgetPeriod; readonly byUsd: number },
    ): Promise<ManagedBudget | 'unlimited' | undefined> =>
      changeAudited<ManagedBudget, ManagedBudget | 'unlimited'>({ db, clock }, options, {
        read: lockAndFind(scope),
        async change(tx, current) {
          const fromUsd = current.effective[AMOUNT_FIELDS[period]];
          if (fromUsd === undefined) return { result: 'unlimited' };
          await createBudgets({ db: tx, clock }).raiseBudget(scope, { period, byUsd, fromUsd });
          await markKey(tx, scope, true);
          return toAudited(tx, 'raise-budget', current);
        },
      }),
  };
}

/** Stores whether an admin has set the budget of a key: then its owner can't change it. */
async function markKey(tx: Database, name: ScopeName, isSet: boolean): Promise<void> {
  const scope = parseScope(name);
  if (scope?.kind !== 'key') return;
  await markAdminRules(tx, scope.id, isSet ? { set: ['budget'], removed: [] } : { set: [], removed: ['budget'] });
}

/** Returns the names of the users and of the owners of keys, by scope. */
async function findScopeNames(
  db: Database,
  rules: AccessRules,
  scopes: readonly ScopeName[],
): Promise<ReadonlyMap<ScopeName, string>> {
  const parsed = scopes.map((name) => ({ name, scope: parseScope(name) }));
  const keyIds = parsed.flatMap(({ scope }) => (scope?.kind === 'key' ? [scope.id] : []));
  const owners =
    keyIds.length === 0
      ? []
      : await db.select({ id: apiKeys.id, userId: apiKeys.userId }).from(apiKeys).where(inArray(apiKeys.id, keyIds));
  const userOf = ({ scope }: (typeof parsed)[number]) => {
    if (scope?.kind === 'user') return scope.id;
    return scope?.kind === 'key' ? owners.find(({ id }) => id === scope.id)?.userId : undefined;
  };
  const names = await findUserNames(
    db,
    rules,
    parsed.flatMap((one) => userOf(one) ?? []),
  );
  return new Map(
    parsed.flatMap((one) => {
      const name = names.get(userOf(one) ?? 0);
      return name === undefined ? [] : [[one.name, name] as const];
    }),
  );
}

/** Reads the budgets of scopes, with as many statements for all as for one. */
async function readAll(
  { db, clock, rules }: ManagedBudgetsDeps,
  scopes: readonly ScopeName[],
): Promise<readonly ManagedBudget[]> {
  const found = createBudgets({ db, clock });
  const [stored, plans, spent, names] = await Promise.all([
    found.readAllBudgets(scopes),
    findBudgetPlans(db, rules, scopes),
    found.readAllSpent(scopes),
    findScopeNames(db, rules, scopes),
  ]);
  return scopes.map((scope) => {
    const name = plans.get(scope);
    const sources = { plan: name === undefined ? {} : toPlan(rules.plans, name), budget: rules.budget };
    const amounts = stored[scope] ?? {};
    const resolved = resolveBudget(sources, parseScope(scope)?.kind ?? 'instance', amounts);
    return { scope, amounts, plan: name, ...resolved, spent: spent[scope] ?? NOTHING_SPENT, name: names.get(scope) };
  });
}

/** Returns whether the user or key of a scope exists. Chats are not known before they ask something. */
async function exists(db: Database, name: ScopeName): Promise<boolean> {
  const scope = parseScope(name);
  if (scope?.kind === 'user') return (await db.$count(users, eq(users.id, scope.id))) > 0;
  if (scope?.kind !== 'key') return true;
  const isThat = and(eq(apiKeys.id, scope.id), isNull(apiKeys.revokedAt));
  return (await db.$count(apiKeys, isThat)) > 0;
}

/** Returns `$1 per day, $20 per month` for the audit log. */
export function describeBudget({ usdPerDay, usdPerMonth, usdTotal }: BudgetAmounts): string {
  const parts = [
    usdPerDay === undefined ? [] : [`$${usdPerDay} per day`],
    usdPerMonth === undefined ? [] : [`$${usdPerMonth} per month`],
    usdTotal === undefined ? [] : [`$${usdTotal} in total`],
  ].flat();
  return parts.join(', ') || 'none';
}

type PlanOfScope = readonly [scope: ScopeName, plan: string];

/**
 * Returns the names of the plans that budgets come from, by scope. The instance has none, nor have groups whose users
 * pay: there the plan of each user applies.
 */
async function findBudgetPlans(
  db: Database,
  rules: AccessRules & { readonly plans: Plans },
  scopes: readonly ScopeName[],
): Promise<ReadonlyMap<ScopeName, string>> {
  const parsed = scopes.flatMap((name) => parseScope(name) ?? []);
  const idsOf = (wanted: BudgetScope['kind']) =>
    parsed.flatMap((scope) => (scope.kind === wanted && 'id' in scope ? scope.id : []));
  const chatIds = idsOf('chat');
  const found = await Promise.all([
    findUserPlans(db, rules, 'user', idsOf('user')),
    findKeyPlans(db, rules, idsOf('key')),
    // The private chat of a user has the Telegram id of the user.
    findUserPlans(
      db,
      rules,
      'chat',
      chatIds.filter((id) => id > 0),
    ),
    findGroupPlans(
      db,
      rules.plans,
      chatIds.filter((id) => id < 0),
    ),
  ]);
  return new Map(found.flat());
}

async function findUserPlans(
  db: Database,
  rules: AccessRules,
  kind: 'user' | 'chat',
  ids: readonly number[],
): Promise<PlanOfScope[]> {
  if (ids.length === 0) return [];
  const id = kind === 'user' ? users.id : users.telegramId;
  const rows = await db
    .select({ id, plan: planOf(rules) })
    .from(users)
    .where(inArray(id, [...ids]));
  return rows.map((row) => [printScope({ kind, id: Number(row.id) }), row.plan]);
}

async function findKeyPlans(db: Database, rules: AccessRules, ids: readonly number[]): Promise<PlanOfScope[]> {
  if (ids.length === 0) return [];
  const plan = sql<string>`case when ${apiKeys.isUniversal} then coalesce(${users.plan}, 'universal') else ${planOf(rules)} end`;
  const rows = await db
    .select({ id: apiKeys.id, plan })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(inArray(apiKeys.id, [...ids]));
  return rows.map((row) => [printScope({ kind: 'key', id: row.id }), row.plan]);
}

async function findGroupPlans(db: Database, plans: Plans, ids: readonly number[]): Promise<PlanOfScope[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .select()
    .from(groups)
    .where(inArray(groups.chatId, [...ids]));
  return rows.flatMap((row): PlanOfScope[] => {
    const plan = findPayingPlan(row, Object.keys(plans));
    return plan === undefined ? [] : [[printScope({ kind: 'chat', id: row.chatId }), plan]];
  });
}
