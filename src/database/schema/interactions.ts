import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

/** Callback actions of inline buttons. */
export const callbackActions = pgTable(
  'callback_actions',
  {
    /** Random token; the only data that Telegram receives. */
    token: text().primaryKey(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Telegram id of the button's chat. Null for inline and guest messages, and for rows older than this column. */
    chatId: bigint('chat_id', { mode: 'number' }),
    /** Inline or guest message with the button. Null if not yet known, or for other messages. */
    inlineMessageId: text('inline_message_id'),
    action: jsonb('action').notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    index('callback_actions_expiry').on(table.expiresAt),
    index('callback_actions_user').on(table.userId),
    check('callback_actions_one_message', sql`num_nonnulls(${table.chatId}, ${table.inlineMessageId}) <= 1`),
  ],
);

/** State of users' multi-step dialogs. */
export const dialogs = pgTable('dialogs', {
  key: text().primaryKey(),
  state: jsonb().notNull(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  /** Null if it does not expire. */
  expiresAt: timestamp('expires_at', { withTimezone: true }),
});
