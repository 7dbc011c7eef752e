import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys } from '../../database/schema/index.ts';
import type { Groups } from '../groups/index.ts';
import {
  AMOUNT_FIELDS,
  type Budgets,
  GROUP_PLAN,
  type InstanceBudget,
  type Plan,
  type Plans,
  toPlan,
} from '../limits/index.ts';
import { type BudgetNotice, isGroup, type NoticeSubject, PLAN_SCOPES, toScope } from './notice.ts';

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
  const stored = (await sources.budgets.readBudget(toScope(notice.subject)))[field];
  return stored ?? (await readConfiguredLimit(sources, notice));
}

async function readConfiguredLimit(sources: BudgetSources, notice: BudgetNotice): Promise<number | undefined> {
  const { subject, period } = notice;
  const field = AMOUNT_FIELDS[period];
  if (subject.kind === 'instance') return sources.rules.budget?.[field];
  return (await findPlanOf(sources, notice))?.[PLAN_SCOPES[subject.kind]]?.[field];
}

/** Returns the plan that the subject's limits come from. In groups whose users pay: that of the notice's user. */
export async function findPlanOf(sources: BudgetSources, { subject, userId }: BudgetNotice): Promise<Plan | undefined> {
  const { plans } = sources.rules;
  if (isGroup(subject)) {
    const { settings, plan = GROUP_PLAN } = await sources.groups.find(subject.id);
    if (settings.payer === 'group' && Object.hasOwn(plans, plan)) return plans[plan];
  }
  const ownerId = (await findOwner(sources.db, subject)) ?? userId;
  return ownerId === undefined ? undefined : toPlan(plans, await sources.findPlan(ownerId));
}

/** Returns the user that a key or a user's budget belongs to; undefined for revoked and universal keys, and others. */
export async function findOwner(db: Database, subject: NoticeSubject): Promise<number | undefined> {
  if (subject.kind === 'user') return subject.id;
  if (subject.kind !== 'key') return undefined;
  const [key] = await db
    .select({ userId: apiKeys.userId })
    .from(apiKeys)
    .where(and(eq(apiKeys.id, subject.id), isNull(apiKeys.revokedAt), eq(apiKeys.isUniversal, false)));
  return key?.userId;
}
