import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, numeric, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/**
 * One row for each generation that reached a provider, finished or not.
 *
 * The rows of a person go with the person, by the trigger `people_take_their_usage`: two foreign keys, which Postgres checks row by row,
 * cost as much as all the rest of a row. So whoever writes rows keeps their people from being deleted meanwhile (`for key share`).
 */
export const usage = pgTable(
  'usage',
  {
    /** Made by whoever writes the row, so that a row whose confirmation was lost is not written twice. */
    id: uuid().primaryKey(),
    /** The reply's id as the client saw it; null where the provider gave none. */
    replyId: text('reply_id'),
    userId: integer('person_id').notNull(),
    /** The API key that was used; null: none. It may be gone since. */
    keyId: integer('key_id'),
    kind: text({ enum: ['chat', 'image', 'transcription', 'speech'] }).notNull(),
    /** Public name that was asked for. */
    model: text().notNull(),
    provider: text().notNull(),
    promptTokens: integer('prompt_tokens').notNull(),
    completionTokens: integer('completion_tokens').notNull(),
    /** Pictures that were made; 0 for text. */
    imageCount: integer('picture_count').notNull().default(0),
    /** US dollars by the prices of the time; null where no price was known. */
    costUsd: numeric('cost_usd', { precision: 18, scale: 9, mode: 'number' }),
    /** True where the provider did not say and the tokens were counted here. */
    isEstimated: boolean('is_estimated').notNull(),
    /** The provider's, or `stopped` where the caller wanted no more; null where the generation broke off. */
    finishReason: text('finish_reason'),
    durationMs: integer('duration_ms').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    check('usage_tokens', sql`${table.promptTokens} >= 0 and ${table.completionTokens} >= 0`),
    check('usage_pictures', sql`${table.imageCount} >= 0`),
    index('usage_person_time').on(table.userId, table.createdAt),
    index('usage_time').on(table.createdAt),
    index('usage_reply').on(table.replyId),
  ],
);
