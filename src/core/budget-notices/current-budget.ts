import { and, arrayContains, eq, isNull } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys } from '../../database/schema/index.ts';
import type { AdminRule } from '../accounts/index.ts';
import { findPayingPlan, type Groups } from '../groups/index.ts';
import {
  AMOUNT_FIELDS,
  type BudgetScope,
  type Budgets,
  type InstanceBudget,
  type Plan,
  type Plans,
  printScope,
  toPlan,
} from '../limits/index.ts';
import { type BudgetNotice, isGroup } from './notice.ts';

export interface BudgetSources {
  readonly db: Database;
  readonly budgets: Pick<Budgets, 'readBudget' | 'readSpent'>;
  readonly groups: Pick<Groups, 'find'>;
  /** Returns the name of a user's plan. */
  readonly findPlan: (userId: number) => Promise<string>;
  /** Read at each use, because its fields may be replaced. */
  readonly rules: { readonly plans: Plans; readonly budget?: InstanceBudget | undefined };
}

/** Returns the budget that applies now; undefined if there is none any more. */
export async function readCurrentLimit(sources: BudgetSources, notice: BudgetNotice): Promise<number | undefined> {
  const field = AMOUNT_FIELDS[notice.period];
  const stored = (await sources.budgets.readBudget(printScope(notice.scope)))[field];
  return stored ?? (await readConfiguredLimit(sources, notice));
}

async function readConfiguredLimit(sources: BudgetSources, notice: BudgetNotice): Promise<number | undefined> {
  const { scope, period } = notice;
  const field = AMOUNT_FIELDS[period];
  if (scope.kind === 'instance') return sources.rules.budget?.[field];
  return (await findPlanOf(sources, notice))?.[scope.kind]?.[field];
}

/** Returns whether an admin has set the budget of a key: then its owner can't raise it. */
export async function hasAdminBudget(db: Database, keyId: number): Promise<boolean> {
  const rule: AdminRule = 'budget';
  return (await db.$count(apiKeys, and(eq(apiKeys.id, keyId), arrayContains(apiKeys.adminRules, [rule])))) > 0;
}

/** Returns the plan that the scope's limits come from. In groups whose users pay: that of the notice's user. */
export async function findPlanOf(sources: BudgetSources, { scope, userId }: BudgetNotice): Promise<Plan | undefined> {
  const { plans } = sources.rules;
  if (isGroup(scope)) {
    const plan = findPayingPlan(await sources.groups.find(scope.id), Object.keys(plans));
    if (plan !== undefined) return plans[plan];
  }
  const ownerId = (await findOwner(sources.db, scope)) ?? userId;
  return ownerId === undefined ? undefined : toPlan(plans, await sources.findPlan(ownerId));
}

/** Returns the user that a key or a user's budget belongs to; undefined for revoked and universal keys, and others. */
export async function findOwner(db: Database, scope: BudgetScope): Promise<number | undefined> {
  if (scope.kind === 'person') return scope.id;
  if (scope.kind !== 'key') return undefined;
  const [key] = await db
    .select({ userId: apiKeys.userId })
    .from(apiKeys)
    .where(and(eq(apiKeys.id, scope.id), isNull(apiKeys.revokedAt), eq(apiKeys.isUniversal, false)));
  return key?.userId;
}
