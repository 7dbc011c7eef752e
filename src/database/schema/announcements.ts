import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

/** Messages of an admin to everybody who uses the bot. */
export const announcements = pgTable(
  'announcements',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** Whose private chat holds the message that is copied, and the one that shows how it goes. */
    adminTelegramId: bigint('admin_telegram_id', { mode: 'number' }).notNull(),
    sourceMessageId: integer('source_message_id').notNull(),
    statusMessageId: integer('status_message_id').notNull(),
    /** Of the words about how it goes: `en`. */
    language: text().notNull(),
    state: text({ enum: ['sending', 'paused', 'cancelled', 'gone', 'done'] })
      .notNull()
      .default('sending'),
    /** From the beginning of one send to that of the next. */
    intervalMs: integer('interval_ms').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    /** When nothing was left to do; then the rows of its recipients are gone. */
    endedAt: timestamp('ended_at', { withTimezone: true }),
    /** What had become of it by then: people by the state of their row. */
    counts: jsonb().$type<Readonly<Record<string, number>>>(),
    /** When the admin was told of the end. */
    toldAt: timestamp('told_at', { withTimezone: true }),
  },
  (table) => [
    check('announcements_state', sql`${table.state} in ('sending', 'paused', 'cancelled', 'gone', 'done')`),
    check('announcements_counts', sql`(${table.endedAt} is null) = (${table.counts} is null)`),
    // What is confirmed twice is sent once.
    unique('announcements_source').on(table.adminTelegramId, table.sourceMessageId),
    uniqueIndex('announcements_one_at_a_time').on(sql`(${table.endedAt} is null)`).where(sql`${table.endedAt} is null`),
    index('announcements_untold').on(table.id).where(sql`${table.toldAt} is null`),
  ],
);

/** Who is to get an announcement that has not ended. A row goes from `waiting` to `sending` once, before the send. */
export const announcementRecipients = pgTable(
  'announcement_recipients',
  {
    announcementId: bigint('announcement_id', { mode: 'number' })
      .notNull()
      .references(() => announcements.id, { onDelete: 'cascade' }),
    userId: integer('person_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** `unclear`: sent, and nobody knows whether it arrived. `left-out`: may not use the service any more. */
    state: text({ enum: ['waiting', 'sending', 'sent', 'blocked', 'failed', 'unclear', 'left-out'] })
      .notNull()
      .default('waiting'),
    /** How often Telegram wanted it later: the others go first. */
    deferrals: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.announcementId, table.userId] }),
    check(
      'announcement_recipients_state',
      sql`${table.state} in ('waiting', 'sending', 'sent', 'blocked', 'failed', 'unclear', 'left-out')`,
    ),
    index('announcement_recipients_next').on(table.announcementId, table.state, table.deferrals, table.userId),
    index('announcement_recipients_person').on(table.userId),
  ],
);
