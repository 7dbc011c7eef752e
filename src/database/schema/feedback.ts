import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { messages } from './conversations.ts';

/** Users' ratings of answers, one per user and answer. */
export const feedback = pgTable(
  'feedback',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Answer in a chat; null if it was deleted or is an API answer. */
    messageId: bigint('message_id', { mode: 'number' }).references(() => messages.id, { onDelete: 'set null' }),
    /** For API answers: the id as returned to the client. */
    replyId: text('reply_id'),
    /** Public name of the requested model. */
    model: text().notNull(),
    rating: text({ enum: ['up', 'down'] }).notNull(),
    comment: text(),
    /** Time of the last change. */
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    unique('feedback_message').on(table.userId, table.messageId),
    unique('feedback_reply').on(table.userId, table.replyId),
    check('feedback_rating', sql`${table.rating} in ('up', 'down')`),
    check('feedback_of_one_answer', sql`num_nonnulls(${table.messageId}, ${table.replyId}) <= 1`),
    index('feedback_time').on(table.createdAt),
    // Used when messages are deleted.
    index('feedback_by_message').on(table.messageId),
  ],
);
