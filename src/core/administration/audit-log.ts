import { desc } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { adminActions } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';

/** Something that an admin has done. */
export interface AdminAction {
  readonly adminTelegramId: number;
  readonly action: (typeof adminActions.$inferSelect)['action'];
  /** Telegram id of a person, id of a file, number of an announcement. */
  readonly subject: string;
  /** The admin's words; empty where there were none. */
  readonly reason: string;
  readonly createdAt: Date;
}

/** Notes an action, in the transaction in which it is done where there is one. */
export async function noteAction(db: Database, action: AdminAction): Promise<void> {
  await db.insert(adminActions).values({ ...action, reason: toStorableText(action.reason) });
}

/** Newest first. */
export async function listActions(db: Database, limit: number): Promise<readonly AdminAction[]> {
  const { adminTelegramId, action, subject, reason, createdAt } = adminActions;
  return db
    .select({ adminTelegramId, action, subject, reason, createdAt })
    .from(adminActions)
    .orderBy(desc(adminActions.id))
    .limit(limit);
}
