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

/** Conversations. Each chat, or each topic of it, has one current conversation. */
export const conversations = pgTable(
  'conversations',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    chatId: bigint('chat_id', { mode: 'number' }).notNull(),
    /** Null outside topics. */
    topicId: integer('topic_id'),
    /** User who started the conversation. */
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    isCurrent: boolean('is_current').notNull().default(true),
    /** Message that the next question follows; null for the newest one. */
    headId: bigint('head_id', { mode: 'number' }).references((): AnyPgColumn => messages.id, { onDelete: 'set null' }),
    /** Null until a title is set. */
    title: text(),
    /** Null if not archived. */
    archivedAt: timestamp('archived_at', { withTimezone: true }),
    /**
     * Persona of the conversation: name of a built-in one, or `own:` and the id of a user's own. Null: the persona of
     * each user who asks.
     */
    persona: text(),
    /** System prompt of the conversation, instead of a persona. */
    instructions: text(),
    /** User who wrote the instructions. */
    instructionsBy: integer('instructions_by').references(() => users.id, { onDelete: 'set null' }),
    /** Public name of the model selected for this conversation. Null: the model of each user who asks. */
    model: text(),
    /** True if the bot may rename the topic to the conversation's title, such as after creating it. */
    namesTopic: boolean('names_topic').notNull().default(false),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('conversations_one_current')
      .on(table.chatId, sql`coalesce(${table.topicId}, 0)`)
      .where(sql`${table.isCurrent}`),
    index('conversations_user').on(table.userId),
    index('conversations_head').on(table.headId),
    index('conversations_chat').on(table.chatId),
    index('conversations_instructions_by').on(table.instructionsBy).where(sql`${table.instructionsBy} is not null`),
    check('conversations_one_prompt_source', sql`num_nonnulls(${table.persona}, ${table.instructions}) <= 1`),
  ],
);

/** Additional data of a message, not sent to models. */
export interface MessageExtras {
  /** Reasoning of the model, as far as it is shown. */
  readonly reasoning?: string;
  /** Sources of the answer, by number. */
  readonly sources?: readonly { readonly url: string; readonly title?: string }[];
  /** Telegram messages of a question that consists of several, each with its text. */
  readonly parts?: readonly { readonly telegramMessageId: number; readonly content: string }[];
  /**
   * True if text of others may have influenced the message, and its conversation does not show that: a tool, a system
   * prompt or a memory has brought it, or a task was scheduled after it.
   */
  readonly hasForeignText?: boolean;
  /** True while a tool computes for an unfinished answer. Remains if the process ends meanwhile. */
  readonly isComputing?: boolean;
  /** Memories that the model was given. */
  readonly memoryIds?: readonly number[];
  /** Set if the answer is one of several that models write to one question side by side, each in its own messages. */
  readonly comparison?: {
    /** Public name of the model, shown above the answer. */
    readonly model: string;
    /** Callback query that started the comparison: it may be delivered again after a crash. */
    readonly pressId: string;
    /** Usage of its generation. Missing until it has ended. */
    readonly usage?: {
      readonly durationMs: number;
      readonly promptTokens: number;
      readonly completionTokens: number;
      /** US dollars; missing if a price is not known. */
      readonly costUsd?: number;
    };
  };
  /** User's message of the reminder that this question replies to. */
  readonly repliedReminderId?: number;
  /** Run of a task that this question is asked for, or that this reminder is sent for. */
  readonly taskRun?: {
    readonly runId: number;
    readonly taskId: number;
    readonly kind: 'reminder' | 'question';
    /** Beginning of the task's text. */
    readonly name: string;
    /** Due time in ISO 8601. */
    readonly dueAt: string;
    /** IANA name. */
    readonly timeZone: string;
    /** Later due times that this run stands for. */
    readonly missedCount: number;
    /** It begins much later than it was due. */
    readonly isLate: boolean;
    /** The user has started it before its time. */
    readonly isManual: boolean;
    /** An answer without news is not sent. */
    readonly isQuiet: boolean;
  };
  /** Tool calls of an answer that waits for the user's permission. */
  readonly pausedCalls?: {
    /** Id of the pause, contained in its buttons. */
    readonly id: string;
    /** Subject of a permission for the rest of the conversation. Missing if only this call can be permitted. */
    readonly subject?: string;
    /** The call as shown to the user: the tool, its arguments, and the URL that it opens, if any. */
    readonly tool: string;
    readonly parameters: { readonly [field: string]: unknown };
    readonly address?: string;
    /** Messages since the question as sent to the model; the last one contains the calls. */
    readonly messages: readonly { readonly [field: string]: unknown }[];
    /** Result of each call; null if pending. The user decides about the first pending call. */
    readonly results: readonly (string | null)[];
    /** The user's decision. */
    readonly isAllowed?: boolean;
  };
}

/** File of a message, stored at Telegram or in our storage, or a web page. Extracted text is in `attachment_texts`. */
export type MessageAttachment =
  | {
      readonly kind: 'photo';
      readonly telegramFileId: string;
      /** True if the text describes the image, so that a model without vision needs no image. Default false. */
      readonly isOptional?: boolean;
    }
  | {
      /** A document or a recording. */
      readonly kind: 'document' | 'recording';
      readonly telegramFileId: string;
      /** The same in every update with this file, unlike `telegramFileId`. Missing in older rows. */
      readonly telegramUniqueId?: string;
      readonly name: string;
      readonly mediaType?: string;
      /**
       * True if the user recorded it for the bot, so that its transcript counts as the user's message. Missing in older
       * rows.
       */
      readonly isOwnVoice?: boolean;
    }
  | {
      /** A document in our storage. */
      readonly kind: 'stored';
      readonly fileId: string;
      readonly name: string;
      readonly mediaType?: string;
    }
  | {
      /** `page`: a page that the question is about. `link`: a link in its text, which a model may open by itself. */
      readonly kind: 'page' | 'link';
      readonly url: string;
      /** Host name. */
      readonly name: string;
    };

/**
 * Messages of a conversation as a tree: siblings are variants, a path from the root to a leaf is one version of the
 * conversation.
 */
export const messages = pgTable(
  'messages',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    conversationId: bigint('conversation_id', { mode: 'number' })
      .notNull()
      .references(() => conversations.id, { onDelete: 'cascade' }),
    parentId: bigint('parent_id', { mode: 'number' }),
    role: text({ enum: ['user', 'assistant'] }).notNull(),
    /** Author of a user's message, if known. */
    userId: integer('user_id').references(() => users.id, { onDelete: 'set null' }),
    /** Original Markdown. */
    content: text().notNull(),
    attachments: jsonb().$type<readonly MessageAttachment[]>().notNull().default([]),
    /** Public name of the requested model, for answers. */
    model: text(),
    /** Null while an answer is being generated. */
    finishReason: text('finish_reason'),
    /** Additional data. */
    extras: jsonb().$type<MessageExtras>(),
    /** The answer whose Telegram messages this one replaces. */
    replacesId: bigint('replaces_id', { mode: 'number' }).references((): AnyPgColumn => messages.id, {
      onDelete: 'set null',
    }),
    /** Number of resumptions of an answer after crashes. */
    resumptions: integer().notNull().default(0),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /**
     * Time when an answer was completely shown or given up. Null while its delivery is pending, and for other messages.
     */
    settledAt: timestamp('settled_at', { withTimezone: true }),
  },
  (table) => [
    check('messages_role', sql`${table.role} in ('user', 'assistant')`),
    check('messages_not_own_parent', sql`${table.parentId} < ${table.id}`),
    unique('messages_conversation_id').on(table.conversationId, table.id),
    // A parent is always in the same conversation.
    foreignKey({
      columns: [table.conversationId, table.parentId],
      foreignColumns: [table.conversationId, table.id],
      name: 'messages_parent',
    }).onDelete('cascade'),
    // With both columns of the key above, so that deletions find replies without statistics, too.
    index('messages_replies').on(table.parentId, table.conversationId),
    index('messages_unsettled')
      .on(table.conversationId)
      .where(sql`${table.role} = 'assistant' and ${table.settledAt} is null`),
    index('messages_time').on(table.createdAt),
    index('messages_replaced').on(table.replacesId).where(sql`${table.replacesId} is not null`),
    index('messages_user').on(table.userId).where(sql`${table.userId} is not null`),
  ],
);

/** Permissions for tool calls, valid for the rest of a conversation. */
export const toolPermissions = pgTable(
  'tool_permissions',
  {
    conversationId: bigint('conversation_id', { mode: 'number' })
      .notNull()
      .references(() => conversations.id, { onDelete: 'cascade' }),
    /** User who gave the permission; it applies to answers to this user. */
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The tool, or the tool and the host that it may access. */
    subject: text().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.conversationId, table.userId, table.subject] }),
    index('tool_permissions_user').on(table.userId),
  ],
);

/** Text extracted from documents and transcripts of recordings. */
export const attachmentTexts = pgTable(
  'attachment_texts',
  {
    messageId: bigint('message_id', { mode: 'number' })
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
    /** Index in the message's attachments, from 0. */
    position: integer().notNull(),
    text: text().notNull(),
    /** Share of the document that the text covers; 1 is all of it. */
    share: real().notNull(),
    /** Pages of a PDF; null for others, and for those read by older versions. A scanned one has an empty text. */
    pageCount: integer('page_count'),
  },
  (table) => [
    primaryKey({ columns: [table.messageId, table.position] }),
    check('attachment_texts_page_count', sql`${table.pageCount} > 0`),
    check('attachment_texts_position', sql`${table.position} >= 0`),
    check('attachment_texts_share', sql`${table.share} > 0 and ${table.share} <= 1`),
  ],
);

/**
 * Files of a question that are being read for an answer. A row is inserted before reading and deleted afterwards, so a
 * row found when the answer is resumed means that the process ended while reading.
 */
export const attachmentReadings = pgTable(
  'attachment_readings',
  {
    answerId: bigint('answer_id', { mode: 'number' })
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
    /** Index in the question's attachments, from 0. */
    position: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.answerId, table.position] }),
    check('attachment_readings_position', sql`${table.position} >= 0`),
  ],
);

/** Telegram messages by the page of the message that they show. */
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

/** Planned sends of pages: inserted before the send, deleted when its outcome is known. Rows remain after a crash. */
export const plannedSends = pgTable(
  'planned_sends',
  {
    messageId: bigint('message_id', { mode: 'number' })
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
    /** From 0. */
    page: integer().notNull(),
    chatId: bigint('chat_id', { mode: 'number' }).notNull(),
    /** A known Telegram message id that is older than the message. */
    afterTelegramId: integer('after_telegram_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.messageId, table.page] }),
    check('planned_sends_page', sql`${table.page} >= 0`),
  ],
);

/** Answers in chats that the bot may not be a member of: sent by inline mode, or as an answer to a guest query. */
export const inlineAnswers = pgTable('inline_answers', {
  /** Telegram's inline message id; these messages have no other id. */
  inlineMessageId: text('inline_message_id').primaryKey(),
  messageId: bigint('message_id', { mode: 'number' })
    .notNull()
    .unique()
    .references(() => messages.id, { onDelete: 'cascade' }),
  /** True if the message must include the question. */
  showsQuestion: boolean('shows_question').notNull(),
});
