import { and, eq } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { accessRequests } from '../../database/schema/index.ts';

interface ClosedRequest {
  readonly telegramId: number;
  readonly adminTelegramId: number;
  readonly state: Exclude<(typeof accessRequests.$inferSelect)['state'], 'open'>;
  readonly decidedAt: Date;
}

/** Closes the open request of an account, if it has one. */
export async function closeRequest(
  db: Database,
  { telegramId, adminTelegramId: decidedBy, state, decidedAt }: ClosedRequest,
): Promise<void> {
  await db
    .update(accessRequests)
    .set({ state, decidedBy, decidedAt })
    .where(and(eq(accessRequests.telegramId, telegramId), eq(accessRequests.state, 'open')));
}
