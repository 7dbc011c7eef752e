import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

/** Conversations. A place (a chat, or one topic of it) has one current thread. */
export const threads = pgTable(
  'threads',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    chatId: bigint('chat_id', { mode: 'number' }).notNull(),
    /** Null outside topics. */
    topicId: integer('topic_id'),
    /** Who opened it. */
    userId: integer('person_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    isCurrent: boolean('is_current').notNull().default(true),
    /** The message that the next turn goes on from; null is the newest one. */
    headId: bigint('head_id', { mode: 'number' }).references((): AnyPgColumn => messages.id, { onDelete: 'set null' }),
    /** Null until there is one. */
    title: text(),
    /** Null while it is listed. */
    archivedAt: timestamp('archived_at', { withTimezone: true }),
    /** Who answers in it: name of a persona that is shipped, or `own:` and the id of somebody's own. Null: as each asker has it. */
    persona: text(),
    /** What somebody has told models for this conversation, in place of a persona. */
    instructions: text(),
    /** Who wrote the instructions. */
    instructionsBy: integer('instructions_by').references(() => users.id, { onDelete: 'set null' }),
    /** Public name of the chat model chosen for this conversation alone. Null: the one of each asker. */
    model: text(),
    /** The bot has opened the topic for it, or may name it: a new title becomes the topic's name. */
    namesTopic: boolean('names_topic').notNull().default(false),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('threads_one_current')
      .on(table.chatId, sql`coalesce(${table.topicId}, 0)`)
      .where(sql`${table.isCurrent}`),
    index('threads_person').on(table.userId),
    index('threads_head').on(table.headId),
    index('threads_chat').on(table.chatId),
    index('threads_instructions_by').on(table.instructionsBy).where(sql`${table.instructionsBy} is not null`),
    check('threads_one_guise', sql`num_nonnulls(${table.persona}, ${table.instructions}) <= 1`),
  ],
);

/** What belongs to a message beside its text: models don't see it. */
export interface MessageExtras {
  /** What the model thought before, as far as it is shown. */
  readonly reasoning?: string;
  /** What it refers to, in the order of its numbers. */
  readonly sources?: readonly { readonly url: string; readonly title?: string }[];
  /** The Telegram messages that a question was written in, where that are several, each with its part. */
  readonly parts?: readonly { readonly telegramMessageId: number; readonly content: string }[];
  /** The model has read text that others have written with its tools: the answer may repeat what that text wants. */
  readonly hasForeignText?: boolean;
  /** The tool calls of an answer that waits for a decision of the user. */
  readonly pausedCalls?: {
    /** Names the pause to its buttons. */
    readonly id: string;
    /** What a permission for the rest of the conversation is about. */
    readonly subject: string;
    /** What the user is shown of the call: the tool, its arguments, and the address that it opens, where it opens one. */
    readonly tool: string;
    readonly parameters: { readonly [field: string]: unknown };
    readonly address?: string;
    /** Steps since the question as the model gets them; the last one holds the calls. */
    readonly messages: readonly { readonly [field: string]: unknown }[];
    /** Result of each of these calls; null where there is none yet. The user decides about the first of them. */
    readonly results: readonly (string | null)[];
    /** The decision. */
    readonly isAllowed?: boolean;
  };
}

/** A file that stands in a message, kept at Telegram or in our own store, or a page of the web. What was read in it stands in `attachment_texts`. */
export type MessageAttachment =
  | { readonly kind: 'photo'; readonly telegramFileId: string }
  | {
      /** Something to read, or to listen to. */
      readonly kind: 'document' | 'recording';
      readonly telegramFileId: string;
      /** The same in every update that has the file, unlike the id above. Unknown of older ones. */
      readonly telegramUniqueId?: string;
      readonly name: string;
      readonly mediaType?: string;
      /** The user has recorded it for the bot: its words are the user's own. Unknown of older ones. */
      readonly isOwnVoice?: boolean;
    }
  | {
      /** A document in the store. */
      readonly kind: 'stored';
      readonly fileId: string;
      readonly name: string;
      readonly mediaType?: string;
    }
  | {
      /** A page that a question is about; a link among its words, which a model may open by itself. */
      readonly kind: 'page' | 'link';
      readonly url: string;
      /** Its host. */
      readonly name: string;
    };

/** The messages of a thread as a tree: siblings are variants, a path from the root to a leaf is one conversation. */
export const messages = pgTable(
  'messages',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    threadId: bigint('thread_id', { mode: 'number' })
      .notNull()
      .references(() => threads.id, { onDelete: 'cascade' }),
    parentId: bigint('parent_id', { mode: 'number' }),
    role: text({ enum: ['user', 'assistant'] }).notNull(),
    /** Who wrote a user's message, where that is known. */
    userId: integer('person_id').references(() => users.id, { onDelete: 'set null' }),
    /** Markdown as it was written. */
    content: text().notNull(),
    attachments: jsonb().$type<readonly MessageAttachment[]>().notNull().default([]),
    /** Public name of the model that an assistant's message was asked of. */
    model: text(),
    /** Null while an assistant's message is being written. */
    finishReason: text('finish_reason'),
    /** What belongs to it beside its text. */
    extras: jsonb().$type<MessageExtras>(),
    /** The answer in whose Telegram messages this one is written. */
    replacesId: bigint('replaces_id', { mode: 'number' }).references((): AnyPgColumn => messages.id, {
      onDelete: 'set null',
    }),
    /** How often an assistant's message was begun anew after a crash. */
    resumptions: integer().notNull().default(0),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /** When the chat showed the whole of an assistant's message, or it was given up. Null while something is owed, and of others. */
    settledAt: timestamp('settled_at', { withTimezone: true }),
  },
  (table) => [
    check('messages_role', sql`${table.role} in ('user', 'assistant')`),
    check('messages_not_own_parent', sql`${table.parentId} < ${table.id}`),
    unique('messages_thread_id').on(table.threadId, table.id),
    // A parent is always a message of the same thread.
    foreignKey({
      columns: [table.threadId, table.parentId],
      foreignColumns: [table.threadId, table.id],
      name: 'messages_parent',
    }).onDelete('cascade'),
    index('messages_children').on(table.parentId),
    index('messages_owed').on(table.threadId).where(sql`${table.role} = 'assistant' and ${table.settledAt} is null`),
    index('messages_time').on(table.createdAt),
    index('messages_replaced').on(table.replacesId).where(sql`${table.replacesId} is not null`),
    index('messages_person').on(table.userId).where(sql`${table.userId} is not null`),
  ],
);

/** Calls of tools that users have allowed for the rest of a conversation. */
export const toolPermissions = pgTable(
  'tool_permissions',
  {
    threadId: bigint('thread_id', { mode: 'number' })
      .notNull()
      .references(() => threads.id, { onDelete: 'cascade' }),
    /** The user who has given the permission: it holds for answers to this user. */
    userId: integer('person_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The tool, or the tool and the host that it may open. */
    subject: text().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.threadId, table.userId, table.subject] }),
    index('tool_permissions_person').on(table.userId),
  ],
);

/** What was read in the documents of messages, and what was said in their recordings. */
export const attachmentTexts = pgTable(
  'attachment_texts',
  {
    messageId: bigint('message_id', { mode: 'number' })
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
    /** In the message's attachments, from 0. */
    position: integer().notNull(),
    text: text().notNull(),
    /** How much of the document the text holds: 1 is all of it. */
    share: real().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.messageId, table.position] }),
    check('attachment_texts_position', sql`${table.position} >= 0`),
    check('attachment_texts_share', sql`${table.share} > 0 and ${table.share} <= 1`),
  ],
);

/**
 * Files of a question that are being read for an answer. Written before reading begins and removed when it ends, so a row that is there
 * when the answer is resumed says that the process ended while it was reading.
 */
export const attachmentReadings = pgTable(
  'attachment_readings',
  {
    answerId: bigint('answer_id', { mode: 'number' })
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
    /** In the attachments of the question, from 0. */
    position: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.answerId, table.position] }),
    check('attachment_readings_position', sql`${table.position} >= 0`),
  ],
);

/** Which Telegram message shows which page of which message. */
export const deliveries = pgTable(
  'deliveries',
  {
    chatId: bigint('chat_id', { mode: 'number' }).notNull(),
    telegramMessageId: integer('telegram_message_id').notNull(),
    messageId: bigint('message_id', { mode: 'number' })
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
    /** From 0. */
    page: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chatId, table.telegramMessageId] }),
    check('deliveries_page', sql`${table.page} >= 0`),
    index('deliveries_message').on(table.messageId),
    index('deliveries_telegram_message').on(table.telegramMessageId),
  ],
);

/** Pages that were about to be sent: noted before, gone as soon as it is known what came of it. A crash leaves them behind. */
export const plannedSends = pgTable(
  'planned_sends',
  {
    messageId: bigint('message_id', { mode: 'number' })
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
    /** From 0. */
    page: integer().notNull(),
    chatId: bigint('chat_id', { mode: 'number' }).notNull(),
    /** A Telegram message id that is surely older. */
    afterTelegramId: integer('after_telegram_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.messageId, table.page] }),
    check('planned_sends_page', sql`${table.page} >= 0`),
  ],
);

/** Answers that stand in messages of chats that the bot need not be in: sent by inline mode, or in answer to a guest query. */
export const inlineAnswers = pgTable('inline_answers', {
  /** Telegram's; such a message has no other id. */
  inlineMessageId: text('inline_message_id').primaryKey(),
  messageId: bigint('message_id', { mode: 'number' })
    .notNull()
    .unique()
    .references(() => messages.id, { onDelete: 'cascade' }),
  /** The message has to say what was asked. */
  showsQuestion: boolean('shows_question').notNull(),
});
