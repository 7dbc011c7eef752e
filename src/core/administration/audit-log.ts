import { desc } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { adminActions } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';

/** An action of an admin. */
export interface AdminAction {
  readonly adminTelegramId: number;
  /** API key by which the admin acted; undefined: in the chat or the console. */
  readonly keyId?: number | undefined;
  readonly action: (typeof adminActions.$inferSelect)['action'];
  /** Telegram id of a user, id of a file or of a broadcast, `key:12`, or the scope of a budget. */
  readonly subject: string;
  /** Reason given by the admin; empty if there is none. */
  readonly reason: string;
  readonly createdAt: Date;
}

/** Adds an action to the audit log. Pass the transaction of the action as `db` if there is one. */
export async function recordAction(db: Database, action: AdminAction): Promise<void> {
  await db
    .insert(adminActions)
    .values({ ...action, keyId: action.keyId ?? null, reason: toStorableText(action.reason) });
}

/** Returns the latest actions, newest first. */
export async function listActions(db: Database, limit: number): Promise<readonly AdminAction[]> {
  const { adminTelegramId, action, subject, reason, createdAt } = adminActions;
  return db
    .select({ adminTelegramId, action, subject, reason, createdAt })
    .from(adminActions)
    .orderBy(desc(adminActions.id))
    .limit(limit);
}
