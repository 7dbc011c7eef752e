import { jsonb, pgTable, text } from 'drizzle-orm/pg-core';

/** Rate limiter state of storage, shared by all processes. A few rows, each locked briefly by every call. */
export const storageRateLimits = pgTable('storage_rate_limits', {
  /** Name of the budget. */
  key: text().primaryKey(),
  /** Times are milliseconds since the epoch by the database's clock. */
  state: jsonb()
    .$type<{
      readonly takenAt: readonly number[];
      readonly frozenUntil: number;
      readonly share: number;
      readonly slowedAt: number;
    }>()
    .notNull(),
});
