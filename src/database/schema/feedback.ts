import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { messages } from './conversations.ts';

/** What people think of answers: one opinion a person and answer. */
export const feedback = pgTable(
  'feedback',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: integer('person_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** An answer in a chat; null where that is gone, or the answer was one of the API. */
    messageId: bigint('message_id', { mode: 'number' }).references(() => messages.id, { onDelete: 'set null' }),
    /** Of an answer of the API: its id as the client saw it. */
    replyId: text('reply_id'),
    /** Public name of the model that was asked. */
    model: text().notNull(),
    rating: text({ enum: ['up', 'down'] }).notNull(),
    comment: text(),
    /** Of the last change. */
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    unique('feedback_message').on(table.userId, table.messageId),
    unique('feedback_reply').on(table.userId, table.replyId),
    check('feedback_rating', sql`${table.rating} in ('up', 'down')`),
    check('feedback_of_one_answer', sql`num_nonnulls(${table.messageId}, ${table.replyId}) <= 1`),
    index('feedback_time').on(table.createdAt),
    // For the messages that are removed.
    index('feedback_by_message').on(table.messageId),
  ],
);
