import { eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys, groups, users } from '../../database/schema/index.ts';
import { findPayingPlan } from '../groups/index.ts';
import { type BudgetScope, type Plans, parseScope, printScope, type ScopeName } from '../limits/index.ts';
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
  const parsed = scopes.flatMap((name) => parseScope(name) ?? []);
  const idsOf = (wanted: BudgetScope['kind']) =>
    parsed.flatMap((scope) => (scope.kind === wanted && 'id' in scope ? scope.id : []));
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
