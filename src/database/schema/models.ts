import { jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** Model lists of the providers as last fetched, so that a start need not wait for all providers. */
export const modelDiscoveries = pgTable('model_discoveries', {
  provider: text().primaryKey(),
  models: jsonb().notNull(),
  fetchedAt: timestamp('fetched_at', { withTimezone: true }).notNull(),
});
