import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { bytea } from './bytea.ts';

/** Image requests made in chats. */
export const imageJobs = pgTable(
  'image_jobs',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: integer('user_id')
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
    options: jsonb('options').notNull(),
    /** Telegram message that shows the progress; null before it is sent. */
    statusMessageId: integer('status_message_id'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /** Null while it is queued or in progress. */
    endedAt: timestamp('ended_at', { withTimezone: true }),
  },
  (table) => [
    index('image_jobs_unended').on(table.id).where(sql`${table.endedAt} is null`),
    index('image_jobs_time').on(table.createdAt),
    index('image_jobs_user').on(table.userId),
    unique('image_jobs_update').on(table.chatId, table.updateId),
  ],
);

/** Images of a request, stored for some time as generated. */
export const images = pgTable(
  'images',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    imageJobId: bigint('image_job_id', { mode: 'number' })
      .notNull()
      .references(() => imageJobs.id, { onDelete: 'cascade' }),
    /** From 0. */
    position: integer().notNull(),
    format: text({ enum: ['png', 'jpeg', 'webp'] }).notNull(),
    bytes: bytea().notNull(),
  },
  (table) => [
    unique('images_position').on(table.imageJobId, table.position),
    check('images_not_negative', sql`${table.position} >= 0`),
  ],
);
