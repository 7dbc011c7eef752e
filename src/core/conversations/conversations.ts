import { and, eq, exists, max, not, notInArray, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import {
  attachmentTexts,
  conversations,
  deliveries,
  type MessageExtras,
  messages,
  taskRuns,
} from '../../database/schema/index.ts';
import { toStorable, toStorableText } from '../../database/storable.ts';
import { ChatLeases } from '../inbox/index.ts';
import { createComparedAnswers } from './answers/compared-answers.ts';
import { createInlineAnswers } from './answers/inline-answers.ts';
import { createPausedAnswers } from './answers/paused-answers.ts';
import { createVariants } from './answers/variants.ts';
import { type ChatTopic, isAt } from './chat-topic.ts';
import { type Conversation, createConversationStore } from './conversation-store.ts';
import { createCopiedConversations } from './copied-conversations.ts';
import { createDeliveries } from './deliveries.ts';
import { createAttachmentTexts, listUnchanged } from './messages/attachment-texts.ts';
import { selectPath } from './messages/path.ts';
import { createReminders, isReminderRow } from './messages/reminders.ts';
import { type Attachment, type StoredMessage, toMessage } from './messages/stored-message.ts';

/** Thrown for the question of a task's run that has a question already, or has ended. */
export class TaskRunStartedError extends Error {
  override readonly name = 'TaskRunStartedError';
  constructor() {
    super('The run of the task was started before');
  }
}

export interface NewMessage {
  readonly conversationId: number;
  readonly parentId: number | undefined;
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly attachments?: readonly Attachment[];
  readonly extras?: MessageExtras;
  readonly model?: string;
  /** For an answer whose text is complete. */
  readonly finishReason?: string;
  /** Author of a user's message. */
  readonly userId?: number;
  /** The Telegram message that contains it, stored in the same transaction. */
  readonly shownIn?: { readonly chatId: number; readonly telegramMessageId: number };
  /** Ids of the other messages of its album, in order. */
  readonly alsoShownIn?: readonly number[];
  /** Id of the answer whose Telegram messages this one will overwrite. */
  readonly replacesId?: number;
  /** Run of a task whose question it is: the run starts in the same transaction. */
  readonly taskRunId?: number;
  /** Side branch: the message does not become the head of the conversation. */
  readonly isAside?: boolean;
}

export type Conversations = ReturnType<typeof createConversations>;

/** @param given.chatLeases fences what the bot stores about answers. Default: no other process takes over chats. */
export function createConversations(given: { readonly db: Database; readonly chatLeases?: ChatLeases }) {
  const { db, chatLeases = new ChatLeases() } = given;
  const deps = { db, chatLeases };
  const store = createConversationStore(deps);

  return {
    ...createDeliveries(deps),
    ...createVariants(deps),
    ...createComparedAnswers(deps),
    ...store,
    ...createAttachmentTexts(deps),
    ...createInlineAnswers(deps),
    ...createCopiedConversations(deps),
    ...createPausedAnswers(deps),
    ...createReminders(deps),
    /** Returns the current conversation of a chat or topic; creates one if there is none. */
    async currentConversation(chatTopic: ChatTopic, userId: number): Promise<Conversation> {
      const existing = await store.findCurrentConversation(chatTopic);
      if (existing) return existing;
      // With two concurrent first messages, the second insert does nothing and the select returns the first one's row.
      await db
        .insert(conversations)
        .values({ ...toColumns(chatTopic), userId })
        .onConflictDoNothing();
      const created = await store.findCurrentConversation(chatTopic);
      if (!created) throw new Error('The conversation that was just created is missing');
      return created;
    },
    /** Creates a conversation as the current one of a chat or topic. */
    startConversation: (chatTopic: ChatTopic, userId: number): Promise<Conversation> =>
      db.transaction(async (tx) => {
        await tx
          .update(conversations)
          .set({ isCurrent: false })
          .where(and(...isAt(chatTopic), conversations.isCurrent));
        const [row] = await tx
          .insert(conversations)
          .values({ ...toColumns(chatTopic), userId })
          .returning({ id: conversations.id });
        return { id: one(row).id, chatTopic };
      }),
    /** Moves the conversations of a group that has become a supergroup. Idempotent. */
    moveChat: (fromChatId: number, toChatId: number): Promise<void> =>
      db.transaction(async (tx) => {
        // If the new chat has current conversations already, they stay current.
        const begun = tx
          .select({ id: conversations.id })
          .from(conversations)
          .where(and(eq(conversations.chatId, toChatId), conversations.isCurrent));
        await tx
          .update(conversations)
          .set({ isCurrent: false })
          .where(and(eq(conversations.chatId, fromChatId), exists(begun)));
        await tx.update(conversations).set({ chatId: toChatId }).where(eq(conversations.chatId, fromChatId));
      }),
    /**
     * Adds a message.
     * @throws TaskRunStartedError if its run was started or ended before; ChatLostError.
     */
    addMessage: ({
      shownIn,
      alsoShownIn = [],
      taskRunId,
      isAside = false,
      extras,
      ...message
    }: NewMessage): Promise<StoredMessage> =>
      db.transaction(async (tx) => {
        await chatLeases.hold(tx);
        const [row] = await tx
          .insert(messages)
          .values({
            ...message,
            content: toStorableText(message.content),
            attachments: message.attachments ?? [],
            ...(extras && { extras: toStorable(extras) }),
          })
          .returning();
        const added = toMessage(one(row));
        if (taskRunId !== undefined) await startRun(tx, taskRunId, added.id);
        if (!isAside)
          await tx.update(conversations).set({ headId: added.id }).where(eq(conversations.id, added.conversationId));
        if (shownIn) {
          const ids = [shownIn.telegramMessageId, ...alsoShownIn];
          const rows = ids.map((telegramMessageId, page) => ({
            ...shownIn,
            telegramMessageId,
            messageId: added.id,
            page,
          }));
          await tx
            .insert(deliveries)
            .values(rows)
            .onConflictDoUpdate({
              target: [deliveries.chatId, deliveries.telegramMessageId],
              set: { messageId: added.id, page: sql`excluded.page` },
            });
        }
        return added;
      }),
    /** Stores the text and finish reason of an assistant's message. It may not be delivered yet. @throws ChatLostError */
    async finishMessage(
      messageId: number,
      result: { content: string; finishReason: string; extras?: MessageExtras | undefined },
    ): Promise<void> {
      const changed = {
        content: toStorableText(result.content),
        finishReason: toStorableText(result.finishReason),
        ...(result.extras && { extras: toStorable(result.extras) }),
      };
      await chatLeases.fence(db, (tx) => tx.update(messages).set(changed).where(eq(messages.id, messageId)));
    },
    /**
     * Replaces the content of a user's message that has no answer yet. New attachments replace the old ones together with
     * their stored texts; the texts of unchanged files are kept.
     * @param partIn a Telegram message that contains a part of it from now on; stored in the same transaction.
     */
    rewriteMessage: (
      messageId: number,
      {
        content,
        attachments,
        extras,
      }: Pick<StoredMessage, 'content' | 'extras'> & { readonly attachments?: readonly Attachment[] | undefined },
      partIn?: { readonly chatId: number; readonly telegramMessageId: number; readonly page: number },
    ): Promise<void> =>
      db.transaction(async (tx) => {
        await chatLeases.hold(tx);
        if (attachments) await dropTexts(tx, messageId, attachments);
        await tx
          .update(messages)
          .set({ content: toStorableText(content), extras: toStorable(extras), ...(attachments && { attachments }) })
          .where(eq(messages.id, messageId));
        if (partIn)
          await tx
            .insert(deliveries)
            .values({ ...partIn, messageId })
            .onConflictDoNothing();
      }),
    /** Returns the message that a Telegram message belongs to. */
    async findByDelivery(chatId: number, telegramMessageId: number): Promise<StoredMessage | undefined> {
      const [row] = await db
        .select({ message: messages })
        .from(deliveries)
        .innerJoin(messages, eq(messages.id, deliveries.messageId))
        .where(and(eq(deliveries.chatId, chatId), eq(deliveries.telegramMessageId, telegramMessageId)));
      return row && toMessage(row.message);
    },
    async findMessage(messageId: number): Promise<StoredMessage | undefined> {
      const [row] = await db.select().from(messages).where(eq(messages.id, messageId));
      return row && toMessage(row);
    },
    /** Returns whether a message has an answer, complete or not. */
    async hasReply(messageId: number): Promise<boolean> {
      const rows = await db.select({ id: messages.id }).from(messages).where(eq(messages.parentId, messageId)).limit(1);
      return rows.length > 0;
    },
    /** Returns the id of the newest answer to a message. */
    async findNewestReply(messageId: number): Promise<number | undefined> {
      const isReply = eq(messages.parentId, messageId);
      const [row] = await db
        .select({ id: max(messages.id) })
        .from(messages)
        .where(isReply);
      return row?.id ?? undefined;
    },
    /**
     * Returns the head of a conversation, which the next message follows: the newest message that is not of a reminder, or
     * the variant chosen since.
     */
    async findLatestMessage(conversationId: number): Promise<StoredMessage | undefined> {
      const head = db
        .select({ id: conversations.headId })
        .from(conversations)
        .where(eq(conversations.id, conversationId));
      const newest = db
        .select({ id: sql<number>`max(${messages.id})` })
        .from(messages)
        .where(and(eq(messages.conversationId, conversationId), not(isReminderRow)));
      const [row] = await db.select().from(messages).where(sql`${messages.id} = coalesce((${head}), (${newest}))`);
      return row && toMessage(row);
    },
    /** Records that a tool begins or ends to compute for an unfinished answer: it may end the process. */
    async recordComputing(messageId: number, isComputing: boolean): Promise<void> {
      const extras = isComputing
        ? sql`coalesce(${messages.extras}, '{}') || '{"isComputing": true}'`
        : sql`${messages.extras} - 'isComputing'`;
      await db.update(messages).set({ extras }).where(eq(messages.id, messageId));
    },
    /** Counts a restart of an answer after a crash. */
    async countResumption(messageId: number): Promise<void> {
      await db
        .update(messages)
        .set({ resumptions: sql`${messages.resumptions} + 1` })
        .where(eq(messages.id, messageId));
    },
    /** Returns the messages from the root to the given one, oldest first. */
    async listPath(messageId: number): Promise<readonly StoredMessage[]> {
      // A parent always has a smaller id than its child, so ids give the order of the path.
      const rows = await db
        .select()
        .from(messages)
        .where(sql`${messages.id} in ${selectPath(messageId)}`)
        .orderBy(messages.id);
      return rows.map(toMessage);
    },
  };
}

async function startRun(tx: Database, taskRunId: number, questionId: number): Promise<void> {
  const started = await tx
    .update(taskRuns)
    .set({ state: 'started', questionId })
    .where(and(eq(taskRuns.id, taskRunId), eq(taskRuns.state, 'claimed')))
    .returning({ id: taskRuns.id });
  if (started.length === 0) throw new TaskRunStartedError();
}

/** Deletes the stored texts of attachments that have changed. */
async function dropTexts(db: Pick<Database, 'select' | 'delete'>, messageId: number, now: readonly Attachment[]) {
  const [row] = await db.select({ attachments: messages.attachments }).from(messages).where(eq(messages.id, messageId));
  const unchanged = listUnchanged(row?.attachments ?? [], now);
  const isOfMessage = eq(attachmentTexts.messageId, messageId);
  await db.delete(attachmentTexts).where(and(isOfMessage, notInArray(attachmentTexts.position, [...unchanged])));
}

function toColumns(chatTopic: ChatTopic) {
  return { chatId: chatTopic.chatId, topicId: chatTopic.topicId ?? null };
}

function one<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('The database gave no row back');
  return row;
}
