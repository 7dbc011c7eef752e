import { jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** What each provider last said of its models, so that a start need not wait for all of them. */
export const modelDiscoveries = pgTable('model_discoveries', {
  provider: text().primaryKey(),
  models: jsonb().notNull(),
  fetchedAt: timestamp('fetched_at', { withTimezone: true }).notNull(),
});
