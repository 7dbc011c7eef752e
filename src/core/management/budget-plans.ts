import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys, groups, users } from '../../database/schema/index.ts';
import { GROUP_PLAN, type Plans, type ScopeName } from '../limits/index.ts';
import { type AccessRules, planOf } from './user-directory.ts';

/**
 * Returns the names of the plans that budgets come from, by scope. The instance has none, nor have groups whose users
 * pay: there the plan of each user applies.
 */
export async function findBudgetPlans(
  db: Database,
  rules: AccessRules & { readonly plans: Plans },
  scopes: readonly ScopeName[],
): Promise<ReadonlyMap<ScopeName, string>> {
  const idsOf = (kind: string) =>
    scopes.filter((scope) => scope.startsWith(`${kind}:`)).map((scope) => Number(scope.slice(kind.length + 1)));
  const chatIds = idsOf('chat');
  const found = await Promise.all([
    findUserPlans(db, rules, 'person', idsOf('person')),
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

type PlanOfScope = readonly [scope: ScopeName, plan: string];

async function findUserPlans(
  db: Database,
  rules: AccessRules,
  kind: 'person' | 'chat',
  ids: readonly number[],
): Promise<PlanOfScope[]> {
  if (ids.length === 0) return [];
  const id = kind === 'person' ? users.id : users.telegramId;
  const rows = await db
    .select({ id, plan: planOf(rules) })
    .from(users)
    .where(inArray(id, [...ids]));
  return rows.map((row) => [`${kind}:${row.id}`, row.plan]);
}

async function findKeyPlans(db: Database, rules: AccessRules, ids: readonly number[]): Promise<PlanOfScope[]> {
  if (ids.length === 0) return [];
  const plan = sql<string>`case when ${apiKeys.isUniversal} then coalesce(${users.plan}, 'universal') else ${planOf(rules)} end`;
  const rows = await db
    .select({ id: apiKeys.id, plan })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(inArray(apiKeys.id, [...ids]));
  return rows.map((row) => [`key:${row.id}`, row.plan]);
}

async function findGroupPlans(db: Database, plans: Plans, ids: readonly number[]): Promise<PlanOfScope[]> {
  if (ids.length === 0) return [];
  const isPayer = sql`${groups.settings} ->> 'payer' = 'group'`;
  const rows = await db
    .select({ id: groups.chatId, plan: groups.plan })
    .from(groups)
    .where(and(inArray(groups.chatId, [...ids]), isPayer));
  return rows
    .map((row) => [`chat:${row.id}`, row.plan ?? GROUP_PLAN] as const)
    .filter(([, plan]) => Object.hasOwn(plans, plan));
}
