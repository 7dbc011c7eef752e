import type { Database } from '../../database/connect.ts';
import { users } from '../../database/schema/index.ts';
import { type AdminAction, recordAction } from './audit-log.ts';

interface PlanAssignment extends Pick<AdminAction, 'adminTelegramId' | 'keyId' | 'createdAt'> {
  readonly telegramId: number;
  readonly plan: string;
}

/** Plans of the providers file that are not for users. */
const OTHER_PLANS: ReadonlySet<string> = new Set(['admin', 'group', 'universal']);

/** Lists the plans that a new user can be put on, the default first. @param names those of the providers file. */
export function listUserPlans(names: readonly string[]): readonly string[] {
  return ['free', ...names.filter((name) => name !== 'free' && !OTHER_PLANS.has(name))];
}

/** Puts an account on a plan before its first message, with its entry in the audit log. */
export async function assignPlan(tx: Database, { telegramId, plan, ...by }: PlanAssignment): Promise<void> {
  await tx.insert(users).values({ telegramId, plan }).onConflictDoUpdate({ target: users.telegramId, set: { plan } });
  await recordAction(tx, { ...by, action: 'plan', subject: `${telegramId}`, reason: plan });
}
