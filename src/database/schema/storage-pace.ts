import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';

/** How fast may be stored where: rates that all processes keep together. A few rows, locked for a moment by each turn. */
export const storagePace = pgTable('storage_pace', {
  /** Names the budget. */
  key: text().primaryKey(),
  /** Times are milliseconds since the epoch, of the database's clock. */
  state: jsonb()
    .$type<{
      readonly takenAt: readonly number[];
      readonly frozenUntil: number;
      readonly share: number;
      readonly slowedAt: number;
    }>()
    .notNull(),
});
