import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

/** Callback actions of the inline buttons that users were offered. */
export const choices = pgTable(
  'choices',
  {
    /** Random; the only thing that Telegram sees. */
    token: text().primaryKey(),
    userId: integer('person_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Telegram id of the chat that got the button. Null: a message of inline mode or of a guest, or a row from before this column. */
    chatId: bigint('chat_id', { mode: 'number' }),
    /** The message of inline mode or of a guest that has the button. Null: not known yet, or not such a message. */
    inlineMessageId: text('inline_message_id'),
    choice: jsonb().notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    index('choices_expiry').on(table.expiresAt),
    index('choices_person').on(table.userId),
    check('choices_one_place', sql`num_nonnulls(${table.chatId}, ${table.inlineMessageId}) <= 1`),
  ],
);

/** Dialogs of several steps that people are in the middle of. */
export const dialogs = pgTable('dialogs', {
  key: text().primaryKey(),
  state: jsonb().notNull(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  /** Null where it stays until it is deleted. */
  expiresAt: timestamp('expires_at', { withTimezone: true }),
});
