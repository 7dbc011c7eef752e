import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { bytea } from './bytea.ts';

/** Image requests made in chats. */
export const imageJobs = pgTable(
  'drawings',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: integer('person_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    chatId: bigint('chat_id', { mode: 'number' }).notNull(),
    /** Null outside topics. */
    topicId: integer('topic_id'),
    /**
     * Update that made the request, so that a repeated update does not repeat it. Null if there is none or it is
     * unknown.
     */
    updateId: bigint('update_id', { mode: 'number' }),
    /** The request; its format is defined by the caller. */
    options: jsonb('drawing_order').notNull(),
    /** Telegram message that shows the progress; null before it is sent. */
    statusMessageId: integer('status_message_id'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /** Null while it is queued or in progress. */
    endedAt: timestamp('ended_at', { withTimezone: true }),
  },
  (table) => [
    index('drawings_unended').on(table.id).where(sql`${table.endedAt} is null`),
    index('drawings_time').on(table.createdAt),
    index('drawings_person').on(table.userId),
    unique('drawings_update').on(table.chatId, table.updateId),
  ],
);

/** Images of a request, stored for some time as generated. */
export const images = pgTable(
  'pictures',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    imageJobId: bigint('drawing_id', { mode: 'number' })
      .notNull()
      .references(() => imageJobs.id, { onDelete: 'cascade' }),
    /** From 0. */
    position: integer().notNull(),
    format: text({ enum: ['png', 'jpeg', 'webp'] }).notNull(),
    bytes: bytea().notNull(),
  },
  (table) => [
    unique('pictures_position').on(table.imageJobId, table.position),
    check('pictures_not_negative', sql`${table.position} >= 0`),
  ],
);
