import { bigint, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { bytea } from './bytea.ts';

/**
 * Settings that admins have made in the console. A removed one keeps its row, so that it can be restored. Values are
 * encrypted.
 */
export const storedSettings = pgTable('stored_settings', {
  /** `variable:BOT_TOKEN`, `provider:groq`, … */
  name: text().primaryKey(),
  /** Encrypted JSON; null: removed. */
  value: bytea(),
  /** Value before the last change; null: there was none. */
  formerValue: bytea('former_value'),
  /** Number of changes. */
  version: integer().notNull(),
  /** Telegram id of the admin. */
  changedBy: bigint('changed_by', { mode: 'number' }).notNull(),
  changedAt: timestamp('changed_at', { withTimezone: true }).notNull(),
});
