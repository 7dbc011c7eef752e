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

/** Broadcasts: messages of an admin to all users of the bot. */
export const broadcasts = pgTable(
  'broadcasts',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** Telegram id of the admin, whose private chat contains the message to copy and the status message. */
    adminTelegramId: bigint('admin_telegram_id', { mode: 'number' }).notNull(),
    sourceMessageId: integer('source_message_id').notNull(),
    statusMessageId: integer('status_message_id').notNull(),
    /** Language of the status message: `en`. */
    language: text().notNull(),
    state: text({ enum: ['sending', 'paused', 'cancelled', 'gone', 'done'] })
      .notNull()
      .default('sending'),
    /** Interval between the starts of two sends. */
    intervalMs: integer('interval_ms').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    /** Time of the end; the rows of the recipients are then deleted. */
    endedAt: timestamp('ended_at', { withTimezone: true }),
    /** Numbers of recipients by state, at the end. */
    counts: jsonb().$type<Readonly<Record<string, number>>>(),
    /** Time when the admin was notified of the end. */
    notifiedAt: timestamp('notified_at', { withTimezone: true }),
  },
  (table) => [
    check('broadcasts_state', sql`${table.state} in ('sending', 'paused', 'cancelled', 'gone', 'done')`),
    check('broadcasts_counts', sql`(${table.endedAt} is null) = (${table.counts} is null)`),
    // A broadcast confirmed twice is sent once.
    unique('broadcasts_source').on(table.adminTelegramId, table.sourceMessageId),
    uniqueIndex('broadcasts_one_at_a_time').on(sql`(${table.endedAt} is null)`).where(sql`${table.endedAt} is null`),
    index('broadcasts_unnotified').on(table.id).where(sql`${table.notifiedAt} is null`),
  ],
);

/** Recipients of an unfinished broadcast. A row changes from `waiting` to `sending` once, before the send. */
export const broadcastRecipients = pgTable(
  'broadcast_recipients',
  {
    broadcastId: bigint('broadcast_id', { mode: 'number' })
      .notNull()
      .references(() => broadcasts.id, { onDelete: 'cascade' }),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** `unclear`: sent, but without a response. `left-out`: no longer allowed to use the service. */
    state: text({ enum: ['waiting', 'sending', 'sent', 'blocked', 'failed', 'unclear', 'left-out'] })
      .notNull()
      .default('waiting'),
    /** Number of deferrals after a 429; recipients with fewer are served first. */
    deferrals: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.broadcastId, table.userId] }),
    check(
      'broadcast_recipients_state',
      sql`${table.state} in ('waiting', 'sending', 'sent', 'blocked', 'failed', 'unclear', 'left-out')`,
    ),
    index('broadcast_recipients_next').on(table.broadcastId, table.state, table.deferrals, table.userId),
    index('broadcast_recipients_user').on(table.userId),
  ],
);
