import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { messages } from './conversations.ts';

/** Stored responses of the Responses API. Their texts are also messages of a conversation. */
export const responses = pgTable(
  'responses',
  {
    /** `resp_` and 122 random bits. */
    id: text().primaryKey(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The message with the answer; null while a response is in progress. */
    messageId: bigint('message_id', { mode: 'number' }).references(() => messages.id, { onDelete: 'cascade' }),
    /** The message before the input; null for the first response of a conversation. */
    parentMessageId: bigint('parent_message_id', { mode: 'number' }).references(() => messages.id, {
      onDelete: 'set null',
    }),
    /** The first message that this response has added; null while it is in progress. */
    firstMessageId: bigint('first_message_id', { mode: 'number' }),
    /** Ids of the items of input and output. */
    itemIds: text('item_ids').array().notNull().default([]),
    /** Input items as JSON. Text, because the database never reads inside. */
    input: text().notNull(),
    /** The response object as JSON; null for an answer given in a chat. */
    body: text(),
    /** True until a background response is generated. */
    isRunning: boolean('is_running').notNull().default(false),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    index('responses_user').on(table.userId),
    index('responses_message').on(table.messageId),
    index('responses_parent_message').on(table.parentMessageId),
    index('responses_items').using('gin', table.itemIds),
    index('responses_time').on(table.createdAt),
    check(
      'responses_message_when_done',
      sql`${table.isRunning} or ${table.messageId} is not null or ${table.body} is not null`,
    ),
  ],
);
