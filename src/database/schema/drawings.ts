import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';
import { bytea } from './bytea.ts';

/** Orders for pictures that were given in a chat. */
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
    /** The update that gave the order: one that comes again gives it once. Null where it was none, or is not known. */
    updateId: bigint('update_id', { mode: 'number' }),
    /** What is to be drawn; belongs to whoever gives orders. */
    order: jsonb('drawing_order').notNull(),
    /** The Telegram message that shows how the work goes; null before it is sent. */
    statusMessageId: integer('status_message_id'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /** Null while it waits or is at work. */
    endedAt: timestamp('ended_at', { withTimezone: true }),
  },
  (table) => [
    index('drawings_unended').on(table.id).where(sql`${table.endedAt} is null`),
    index('drawings_time').on(table.createdAt),
    index('drawings_person').on(table.userId),
    unique('drawings_update').on(table.chatId, table.updateId),
  ],
);

/** The pictures of a drawing, kept for a while as they were made. */
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
