import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** What Telegram has sent to a bot: kept before Telegram is told that it arrived. */
export const updates = pgTable(
  'updates',
  {
    /** The bot's Telegram id: every bot counts its updates by itself. */
    botId: bigint('bot_id', { mode: 'number' }).notNull(),
    updateId: bigint('update_id', { mode: 'number' }).notNull(),
    /** Updates of one lane are handled one after the other. */
    lane: bigint({ mode: 'number' }).notNull(),
    /** The message that it brings, of the chat that is its lane; kept when it is handled. */
    messageId: bigint('message_id', { mode: 'number' }),
    /** As it came; null as soon as it is handled: then only the id is remembered, so that a repetition is recognised. */
    payload: jsonb(),
    receivedAt: timestamp('received_at', { withTimezone: true }).notNull().defaultNow(),
    /** How often handling it has failed, or the process has died meanwhile. */
    tries: integer().notNull().default(0),
    lastError: text('last_error'),
    handledAt: timestamp('handled_at', { withTimezone: true }),
    /** When it was given up. */
    setAsideAt: timestamp('set_aside_at', { withTimezone: true }),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.updateId] }),
    check('updates_payload', sql`(${table.payload} is null) = (${table.handledAt} is not null)`),
    index('updates_waiting')
      .on(table.botId, table.lane, table.updateId)
      .where(sql`${table.handledAt} is null and ${table.setAsideAt} is null`),
    index('updates_received').on(table.receivedAt),
  ],
);

/** Which process works on which lane. A row stays as long as something goes on in the lane, so it tells of a crash. */
export const updateLanes = pgTable(
  'update_lanes',
  {
    botId: bigint('bot_id', { mode: 'number' }).notNull(),
    lane: bigint({ mode: 'number' }).notNull(),
    workerId: text('worker_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.lane] })],
);

/** Processes that work on lanes. One that has not said so until `alive_until` counts as dead. */
export const updateWorkers = pgTable('update_workers', {
  id: text().primaryKey(),
  aliveUntil: timestamp('alive_until', { withTimezone: true }).notNull(),
});
