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

/** Groups whose admins have chosen something for everybody in them. */
export const groups = pgTable(
  'groups',
  {
    /** Telegram's. */
    chatId: bigint('chat_id', { mode: 'number' }).primaryKey(),
    settings: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    /** What is said there is kept for a while. */
    remembersTalk: boolean('remembers_talk').notNull().default(false),
    /** The plan that an operator gave the group; null: the one that all groups have. */
    plan: text(),
    /** The supergroup that the group has become; null while it is in use. */
    movedToId: bigint('moved_to_id', { mode: 'number' }),
  },
  (table) => [index('groups_remembering').on(table.chatId).where(sql`${table.remembersTalk}`)],
);

/** What was said of late in groups that want it remembered, but for what was said to the bot. */
export const groupTalk = pgTable(
  'group_talk',
  {
    chatId: bigint('chat_id', { mode: 'number' })
      .notNull()
      .references(() => groups.chatId, { onDelete: 'cascade', onUpdate: 'cascade' }),
    telegramMessageId: integer('telegram_message_id').notNull(),
    /** 0 outside topics. */
    topicId: integer('topic_id').notNull(),
    /** Telegram id of the person, bot or channel. */
    speakerId: bigint('speaker_id', { mode: 'number' }).notNull(),
    /** As Telegram shows it. */
    speakerName: text('speaker_name').notNull(),
    content: text().notNull(),
    saidAt: timestamp('said_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chatId, table.telegramMessageId] }),
    index('group_talk_place').on(table.chatId, table.topicId, table.telegramMessageId),
    index('group_talk_speaker').on(table.speakerId),
    index('group_talk_time').on(table.saidAt),
    check('group_talk_topic', sql`${table.topicId} >= 0`),
  ],
);
