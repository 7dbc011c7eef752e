import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** Updates received by a bot, stored before they are confirmed to Telegram. */
export const updates = pgTable(
  'updates',
  {
    /** Telegram id of the bot; each bot numbers its updates separately. */
    botId: bigint('bot_id', { mode: 'number' }).notNull(),
    updateId: bigint('update_id', { mode: 'number' }).notNull(),
    /** Key of the chat queue, whose updates are handled in order. */
    chatQueue: bigint('chat_queue', { mode: 'number' }).notNull(),
    /** Id of the update's message in the queue's chat; kept after the update is handled. */
    messageId: bigint('message_id', { mode: 'number' }),
    /** The original update; null once handled. Then only the id is kept, to detect repeated updates. */
    payload: jsonb(),
    receivedAt: timestamp('received_at', { withTimezone: true }).notNull().defaultNow(),
    /** Number of times that handling failed or the process died. */
    attempts: integer().notNull().default(0),
    lastError: text('last_error'),
    handledAt: timestamp('handled_at', { withTimezone: true }),
    /** Time when handling was given up. */
    failedAt: timestamp('failed_at', { withTimezone: true }),
  },
  (table) => [
    primaryKey({ columns: [table.botId, table.updateId] }),
    check('updates_payload', sql`(${table.payload} is null) = (${table.handledAt} is not null)`),
    index('updates_waiting')
      .on(table.botId, table.chatQueue, table.updateId)
      .where(sql`${table.handledAt} is null and ${table.failedAt} is null`),
    index('updates_received').on(table.receivedAt),
  ],
);

/**
 * Leases of chat queues. A row exists as long as work of the chat is in progress, so after a crash it shows what was
 * interrupted.
 */
export const chatQueueOwners = pgTable(
  'chat_queue_owners',
  {
    botId: bigint('bot_id', { mode: 'number' }).notNull(),
    chatQueue: bigint('chat_queue', { mode: 'number' }).notNull(),
    workerId: text('worker_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.botId, table.chatQueue] })],
);

/** Worker processes. A worker whose `alive_until` has passed counts as dead. */
export const updateWorkers = pgTable('update_workers', {
  id: text().primaryKey(),
  aliveUntil: timestamp('alive_until', { withTimezone: true }).notNull(),
});
