import { index, integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { people } from './accounts.ts';

/** What stands behind the buttons that people were offered. */
export const choices = pgTable(
  'choices',
  {
    /** Random; the only thing that Telegram sees. */
    token: text().primaryKey(),
    personId: integer('person_id')
      .notNull()
      .references(() => people.id, { onDelete: 'cascade' }),
    choice: jsonb().notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  },
  (table) => [index('choices_expiry').on(table.expiresAt), index('choices_person').on(table.personId)],
);

/** Dialogs of several steps that people are in the middle of. */
export const dialogs = pgTable('dialogs', {
  key: text().primaryKey(),
  state: jsonb().notNull(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  /** Null where it stays until it is deleted. */
  expiresAt: timestamp('expires_at', { withTimezone: true }),
});
