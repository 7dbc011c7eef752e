import { and, desc, eq, exists, isNull, lt, not, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../../database/connect.ts';
import { conversations, messages } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import { type ChatTopic, isAt } from './chat-topic.ts';
import { type ConversationFilter, type ConversationScope, isListed, isWithin } from './conversation-filter.ts';
import { deleteConversations } from './delete-conversations.ts';
import {
  type ConversationHistory,
  readHistory,
  readVisibleMessages,
  type VisibleMessages,
} from './messages/history.ts';
import { selectPath } from './messages/path.ts';
import { isReminderIn, isReminderRow } from './messages/reminders.ts';

/** A conversation. Its messages form a tree: editing or answering an old message creates a branch. */
export interface Conversation {
  readonly id: number;
  readonly chatTopic: ChatTopic;
}

/** Persona of a conversation: a persona by its key, or instructions written for this conversation. */
export type PromptSource =
  | { readonly kind: 'persona'; readonly persona: string }
  | { readonly kind: 'instructions'; readonly text: string; readonly userId: number | undefined };

/** A conversation without its messages. */
export interface ConversationDetails extends Conversation {
  /** User who opened it. */
  readonly userId: number;
  readonly isCurrent: boolean;
  readonly isArchived: boolean;
  readonly title: string | undefined;
  /** Undefined: the persona of the user who asks. */
  readonly promptSource: PromptSource | undefined;
  /** Public name of the chat model of this conversation. Undefined: the model of the user who asks. */
  readonly model: string | undefined;
  /** Whether the topic is renamed when the title changes. */
  readonly namesTopic: boolean;
}

/** A conversation with at least one message. */
export interface ListedConversation extends ConversationDetails {
  /** Messages of the visible branch, counted up to 1000; answers without text and reminders don't count. */
  readonly messageCount: number;
  readonly lastMessageAt: Date;
  readonly lastMessageId: number;
  /** Beginning of the first question with text, else of the first reminder; empty if there is none. */
  readonly firstWords: string;
}

/** Part of a list. */
interface Range {
  /** Lists conversations whose newest message is older than this one. Default: all. */
  readonly beforeMessageId?: number | undefined;
  /** Number of the ones before them. Default 0. */
  readonly offset?: number | undefined;
  readonly limit: number;
}

const MAX_FIRST_WORDS = 200;

/** Finds, lists, changes and deletes conversations. */
export function createConversationStore({ db }: { readonly db: Database }) {
  const update = async (conversationId: number, set: Partial<typeof conversations.$inferInsert>) => {
    await db.update(conversations).set(set).where(eq(conversations.id, conversationId));
  };
  return {
    async findConversation(conversationId: number): Promise<ConversationDetails | undefined> {
      const [row] = await db.select().from(conversations).where(eq(conversations.id, conversationId));
      return row && toDetails(row);
    },
    /** Returns the current conversation of a chat or topic, if there is one. */
    async findCurrentConversation(chatTopic: ChatTopic): Promise<ConversationDetails | undefined> {
      const [row] = await db
        .select()
        .from(conversations)
        .where(and(...isAt(chatTopic), conversations.isCurrent));
      return row && toDetails(row);
    },
    /** Lists conversations with messages, the one with the newest message first. */
    listConversations: (
      scope: ConversationScope,
      { beforeMessageId, offset, limit, ...wanted }: ConversationFilter & Range,
    ): Promise<readonly ListedConversation[]> =>
      readListed(db, and(isWithin(scope), isListed(db, wanted)), { beforeMessageId, offset, limit }),
    /** Counts conversations with messages. */
    countConversations(scope: ConversationScope, wanted: ConversationFilter): Promise<number> {
      const conversationMessages = db
        .select({ id: messages.id })
        .from(messages)
        .where(eq(messages.conversationId, conversations.id));
      return db.$count(conversations, and(isWithin(scope), isListed(db, wanted), exists(conversationMessages)));
    },
    /** Returns undefined for conversations without messages or outside the scope, too. */
    async findListedConversation(
      conversationId: number,
      scope?: ConversationScope,
    ): Promise<ListedConversation | undefined> {
      const filter = and(eq(conversations.id, conversationId), scope && isWithin(scope));
      const [listed] = await readListed(db, filter, { limit: 1 });
      return listed;
    },
    /** Returns the time of the newest message that is no reminder; undefined if there is none. */
    async findLastTalk(conversationId: number): Promise<Date | undefined> {
      const [row] = await db
        .select({ createdAt: messages.createdAt })
        .from(messages)
        .where(and(eq(messages.conversationId, conversationId), not(isReminderRow)))
        .orderBy(desc(messages.id))
        .limit(1);
      return row?.createdAt;
    },
    /**
     * Sets the title of a conversation that has none.
     * @returns false if it has a title already or does not exist.
     */
    async giveTitle(conversationId: number, title: string): Promise<boolean> {
      const isUntitled = and(eq(conversations.id, conversationId), isNull(conversations.title));
      const updatedRows = await db
        .update(conversations)
        .set({ title: toStorableText(title) })
        .where(isUntitled)
        .returning({ id: conversations.id });
      return updatedRows.length > 0;
    },
    renameConversation: (conversationId: number, title: string): Promise<void> =>
      update(conversationId, { title: toStorableText(title) }),
    /** Archives or restores a conversation. An archived one is no longer the current conversation of its chat. */
    setArchived: (conversationId: number, isArchived: boolean): Promise<void> =>
      isArchived
        ? db
            .update(conversations)
            .set({ archivedAt: sql`now()`, isCurrent: false })
            .where(eq(conversations.id, conversationId))
            .then(() => {})
        : update(conversationId, { archivedAt: null }),
    /** Moves a conversation to another topic of its chat, or out of topics, and makes it the current one there. */
    continueConversation: (conversationId: number, chatTopic: ChatTopic): Promise<void> =>
      db.transaction(async (tx) => {
        await tx
          .update(conversations)
          .set({ isCurrent: false })
          .where(and(...isAt(chatTopic), conversations.isCurrent));
        const topicId = chatTopic.topicId ?? null;
        const staysThere = sql`${conversations.namesTopic} and ${conversations.topicId} is not distinct from ${topicId}::integer`;
        await tx
          .update(conversations)
          .set({ isCurrent: true, archivedAt: null, topicId, namesTopic: staysThere })
          .where(and(eq(conversations.id, conversationId), eq(conversations.chatId, chatTopic.chatId)));
      }),
    setPromptSource: (conversationId: number, promptSource: PromptSource | undefined): Promise<void> =>
      update(conversationId, {
        persona: promptSource?.kind === 'persona' ? promptSource.persona : null,
        instructions: promptSource?.kind === 'instructions' ? toStorableText(promptSource.text) : null,
        instructionsBy: promptSource?.kind === 'instructions' ? (promptSource.userId ?? null) : null,
      }),
    /** Sets the chat model of this conversation; undefined: the model of the user who asks. */
    setModel: (conversationId: number, model: string | undefined): Promise<void> =>
      update(conversationId, { model: model ?? null }),
    /** Sets whether the topic is renamed when the title changes. */
    setNamesTopic: (conversationId: number, namesTopic: boolean): Promise<void> =>
      update(conversationId, { namesTopic }),
    /** Deletes a conversation with all its messages. */
    deleteConversation: (conversationId: number): Promise<void> =>
      db.transaction((tx) => deleteConversations(tx, eq(conversations.id, conversationId))),
    /** Returns the ids of answers that are not completely delivered. */
    async listOpenAnswers(conversationId: number): Promise<readonly number[]> {
      const isOpen = and(
        eq(messages.conversationId, conversationId),
        eq(messages.role, 'assistant'),
        isNull(messages.settledAt),
      );
      const rows = await db.select({ id: messages.id }).from(messages).where(isOpen);
      return rows.map(({ id }) => id);
    },
    /**
     * Reads up to `limit` messages of the visible branch, from the newest or a given one back, and as many reminders.
     * Returns none if the given one is of another conversation.
     */
    readVisibleMessages: (
      conversationId: number,
      page: { readonly fromId?: number | undefined; readonly limit: number },
    ): Promise<VisibleMessages> => readVisibleMessages(db, conversationId, page),
    /**
     * Returns the newest messages of a conversation in all branches, oldest first, up to 5000 messages and 8 million
     * characters.
     */
    readHistory: (conversationId: number): Promise<ConversationHistory> => readHistory(db, conversationId),
  };
}

async function readListed(
  db: Database,
  filter: SQL | undefined,
  { beforeMessageId, offset = 0, limit }: Range,
): Promise<ListedConversation[]> {
  const [question, shown] = [alias(messages, 'question'), alias(messages, 'shown')];
  const selectWords = (condition: SQL) => sql`(
    select left(${question.content}, ${sql.raw(String(MAX_FIRST_WORDS))}) from ${messages} "question"
    where ${question.conversationId} = ${conversations.id} and ${question.role} = 'user' and ${question.content} <> ''
    and ${condition} order by ${question.id} limit 1
  )`;
  const firstWords = sql<
    string | null
  >`coalesce(${selectWords(not(isReminderIn(question)))}, ${selectWords(sql`true`)})`;
  const newest = db
    .select({ id: messages.id, createdAt: messages.createdAt })
    .from(messages)
    .where(eq(messages.conversationId, conversations.id))
    .orderBy(desc(messages.id))
    .limit(1)
    .as('newest');
  const messageCount = sql<number>`(
    select count(*) from ${messages} "shown"
    where ${shown.id} in ${selectPath(sql`coalesce(${conversations.headId}, ${newest.id})`)}
      and (${shown.role} = 'user' or ${shown.content} <> '') and not ${isReminderIn(shown)}
  )`.mapWith(Number);
  const rows = await db
    .select({
      conversation: conversations,
      messageCount,
      firstWords,
      lastMessageAt: newest.createdAt,
      lastMessageId: newest.id,
    })
    .from(conversations)
    .innerJoinLateral(newest, sql`true`)
    .where(and(filter, beforeMessageId === undefined ? undefined : lt(newest.id, beforeMessageId)))
    .orderBy(desc(newest.id))
    .offset(offset)
    .limit(limit);
  return rows.map(({ conversation, firstWords: words, ...facts }) => ({
    ...toDetails(conversation),
    ...facts,
    firstWords: words ?? '',
  }));
}

function toDetails(row: typeof conversations.$inferSelect): ConversationDetails {
  return {
    id: row.id,
    chatTopic: { chatId: row.chatId, topicId: row.topicId ?? undefined },
    userId: row.userId,
    isCurrent: row.isCurrent,
    isArchived: row.archivedAt !== null,
    title: row.title ?? undefined,
    promptSource: toPromptSource(row),
    model: row.model ?? undefined,
    namesTopic: row.namesTopic,
  };
}

function toPromptSource({
  persona,
  instructions,
  instructionsBy,
}: typeof conversations.$inferSelect): PromptSource | undefined {
  if (persona !== null) return { kind: 'persona', persona };
  if (instructions === null) return undefined;
  return { kind: 'instructions', text: instructions, userId: instructionsBy ?? undefined };
}
