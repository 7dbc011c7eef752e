import type { Database } from '../../database/connect.ts';
import { users } from '../../database/schema/index.ts';
import { type AdminAction, recordAction } from './audit-log.ts';

interface PlanAssignment extends Pick<AdminAction, 'adminTelegramId' | 'createdAt'> {
  readonly telegramId: number;
  readonly plan: string;
}

/** Puts an account on a plan before its first message, with its entry in the audit log. */
export async function assignPlan(
  tx: Database,
  { telegramId, adminTelegramId, plan, createdAt }: PlanAssignment,
): Promise<void> {
  await tx.insert(users).values({ telegramId, plan }).onConflictDoUpdate({ target: users.telegramId, set: { plan } });
  await recordAction(tx, { adminTelegramId, action: 'plan', subject: `${telegramId}`, reason: plan, createdAt });
}
