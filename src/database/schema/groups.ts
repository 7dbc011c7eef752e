import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

/** Groups with settings made by their admins. */
export const groups = pgTable(
  'groups',
  {
    /** Telegram id of the group. */
    chatId: bigint('chat_id', { mode: 'number' }).primaryKey(),
    settings: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    /** True if messages of the group are remembered for some time. */
    storesRecentMessages: boolean('stores_recent_messages').notNull().default(false),
    /** True if its members may use a private service. */
    admitsMembers: boolean('admits_members').notNull().default(false),
    /** Telegram id of the admin who let the members in; without the role they get no access. */
    admittedBy: bigint('admitted_by', { mode: 'number' }),
    /** Plan assigned by an operator; null for the default plan of groups. */
    plan: text(),
    /** Supergroup into which the group was migrated; null while it is in use. */
    movedToId: bigint('moved_to_id', { mode: 'number' }),
  },
  (table) => [
    index('groups_storing_messages').on(table.chatId).where(sql`${table.storesRecentMessages}`),
    index('groups_admitting_members').on(table.chatId).where(sql`${table.admitsMembers}`),
  ],
);

/** Recent messages of groups that remember them, except those addressed to the bot. */
export const groupMessages = pgTable(
  'group_messages',
  {
    chatId: bigint('chat_id', { mode: 'number' })
      .notNull()
      .references(() => groups.chatId, { onDelete: 'cascade', onUpdate: 'cascade' }),
    telegramMessageId: integer('telegram_message_id').notNull(),
    /** 0 outside topics. */
    topicId: integer('topic_id').notNull(),
    /** Telegram id of the user, bot or channel. */
    authorId: bigint('author_id', { mode: 'number' }).notNull(),
    /** Name as shown by Telegram. */
    authorName: text('author_name').notNull(),
    content: text().notNull(),
    sentAt: timestamp('sent_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chatId, table.telegramMessageId] }),
    index('group_messages_chat').on(table.chatId, table.topicId, table.telegramMessageId),
    index('group_messages_author').on(table.authorId),
    index('group_messages_time').on(table.sentAt),
    check('group_messages_topic', sql`${table.topicId} >= 0`),
  ],
);
