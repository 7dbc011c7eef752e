import { and, desc, eq, gt, inArray, isNull, not, notInArray, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../../database/connect.ts';
import { conversations, deliveries, inlineAnswers, messages, plannedSends } from '../../database/schema/index.ts';
import type { ChatLeases } from '../inbox/index.ts';
import type { ChatTopic } from './chat-topic.ts';
import { isReminderRow } from './messages/reminders.ts';

/** An answer that is not completely delivered yet. */
export interface UnfinishedAnswer {
  readonly id: number;
  readonly questionId: number;
  readonly chatTopic: ChatTopic;
  /** User who asked; if unknown, user who opened the conversation. */
  readonly userId: number;
  readonly createdAt: Date;
  /** Number of restarts after a crash. */
  readonly resumptions: number;
  /** Id of the Telegram message with the question, if known. */
  readonly questionMessageId: number | undefined;
  /** Ids of the Telegram messages that show the answer so far, in the order of pages. */
  readonly shownIn: readonly number[];
  /** Pages about to be sent when the process died: it is unknown whether they arrived. */
  readonly planned: readonly PlannedSend[];
}

export interface PlannedSend {
  /** Page number from 0. */
  readonly page: number;
  readonly chatId: number;
  /** Id of a Telegram message that is certainly older than the page's. */
  readonly afterTelegramId: number;
}

/** Chats with greater ids share one numbering of messages, see `countsAlone`. */
export const GREATEST_SUPERGROUP_ID = -1_000_000_000_000;
const MAX_TELEGRAM_IDS = 2000;

/**
 * Returns whether a chat has its own numbering of messages. Supergroups and channels do; a bot's private chats and
 * basic groups share one.
 */
export function countsAlone(chatId: number): boolean {
  return chatId <= GREATEST_SUPERGROUP_ID;
}

/** Records which Telegram messages show which messages, and which answers are not completely delivered. */
export function createDeliveries({ db, chatLeases }: { readonly db: Database; readonly chatLeases: ChatLeases }) {
  return {
    /** Marks an assistant's message as settled: completely delivered, or the rest is given up. */
    settleMessage: (messageId: number): Promise<void> =>
      db.transaction(async (tx) => {
        await chatLeases.hold(tx);
        await tx.update(messages).set({ settledAt: sql`now()` }).where(eq(messages.id, messageId));
        await tx.delete(plannedSends).where(eq(plannedSends.messageId, messageId));
      }),
    /** Records that a page is about to be sent, so that a crash before `recordDelivery` can be repaired. */
    async planSend(messageId: number, planned: PlannedSend): Promise<void> {
      const { chatId, afterTelegramId } = planned;
      const target = [plannedSends.messageId, plannedSends.page];
      await chatLeases.fence(db, (tx) =>
        tx
          .insert(plannedSends)
          .values({ messageId, ...planned })
          .onConflictDoUpdate({ target, set: { chatId, afterTelegramId } }),
      );
    },
    /** Counts planned sends to the other chats that share the numbering of messages. @param exceptFor chats to leave out. */
    async countOtherPlannedSends(chatId: number, exceptFor: readonly number[] = []): Promise<number> {
      if (countsAlone(chatId)) return 0;
      return db.$count(
        plannedSends,
        and(gt(plannedSends.chatId, GREATEST_SUPERGROUP_ID), notInArray(plannedSends.chatId, [chatId, ...exceptFor])),
      );
    },
    /** Deletes the planned sends of a message that are known not to have arrived. */
    async forgetPlannedSends(messageId: number): Promise<void> {
      await chatLeases.fence(db, (tx) => tx.delete(plannedSends).where(eq(plannedSends.messageId, messageId)));
    },
    /**
     * Records that a Telegram message shows page `page` (from 0) of a message, and deletes the planned send. Idempotent.
     */
    recordDelivery: (
      messageId: number,
      delivery: { chatId: number; telegramMessageId: number; page: number },
    ): Promise<void> =>
      db.transaction(async (tx) => {
        await chatLeases.hold(tx);
        const { page } = delivery;
        await tx
          .insert(deliveries)
          .values({ ...delivery, messageId })
          .onConflictDoUpdate({ target: [deliveries.chatId, deliveries.telegramMessageId], set: { messageId, page } });
        await tx.delete(plannedSends).where(and(eq(plannedSends.messageId, messageId), eq(plannedSends.page, page)));
      }),
    /** Deletes the record of a Telegram message that no longer exists. */
    async forgetDelivery(chatId: number, telegramMessageId: number): Promise<void> {
      await db
        .delete(deliveries)
        .where(and(eq(deliveries.chatId, chatId), eq(deliveries.telegramMessageId, telegramMessageId)));
    },
    /**
     * Returns the newest delivered answer of a chat or topic that is not a reminder, and the Telegram message with its
     * last page.
     */
    async findLastAnswer({
      chatId,
      topicId,
    }: ChatTopic): Promise<{ readonly answerId: number; readonly telegramMessageId: number } | undefined> {
      const isHere = topicId === undefined ? isNull(conversations.topicId) : eq(conversations.topicId, topicId);
      const [row] = await db
        .select({ answerId: messages.id, telegramMessageId: deliveries.telegramMessageId })
        .from(deliveries)
        .innerJoin(messages, eq(messages.id, deliveries.messageId))
        .innerJoin(conversations, eq(conversations.id, messages.conversationId))
        .where(and(eq(deliveries.chatId, chatId), eq(messages.role, 'assistant'), not(isReminderRow), isHere))
        .orderBy(desc(deliveries.telegramMessageId))
        .limit(1);
      return row;
    },
    /** Returns the chat or topic of an answer and the user who asked; undefined if unknown. */
    async findAsked(answerId: number): Promise<{ readonly chatTopic: ChatTopic; readonly userId: number } | undefined> {
      const question = alias(messages, 'question');
      const [row] = await db
        .select({ chatId: conversations.chatId, topicId: conversations.topicId, userId: question.userId })
        .from(messages)
        .innerJoin(conversations, eq(conversations.id, messages.conversationId))
        .innerJoin(question, eq(question.id, messages.parentId))
        .where(eq(messages.id, answerId));
      if (!row || row.userId === null) return undefined;
      return { chatTopic: { chatId: row.chatId, topicId: row.topicId ?? undefined }, userId: row.userId };
    },
    /**
     * Returns known ids of Telegram messages greater than `after`: of one supergroup, or of all chats that share its
     * numbering.
     */
    async listTelegramIds({
      after,
      chatId,
    }: {
      readonly after: number;
      readonly chatId: number;
    }): Promise<readonly number[]> {
      const rows = await db
        .select({ id: deliveries.telegramMessageId })
        .from(deliveries)
        .where(and(gt(deliveries.telegramMessageId, after), isCountedWith(chatId)))
        .orderBy(deliveries.telegramMessageId)
        .limit(MAX_TELEGRAM_IDS);
      return rows.map(({ id }) => id);
    },
    /** Returns the greatest such id. */
    async findNewestTelegramId(chatId: number): Promise<number | undefined> {
      const [row] = await db
        .select({ id: deliveries.telegramMessageId })
        .from(deliveries)
        .where(isCountedWith(chatId))
        .orderBy(desc(deliveries.telegramMessageId))
        .limit(1);
      return row?.id;
    },
    /**
     * Lists the answers of a chat, in all topics, that are in progress, not completely delivered, or interrupted by a
     * crash; oldest first.
     */
    async listUnfinished(chatId: number): Promise<readonly UnfinishedAnswer[]> {
      const inline = db.select({ id: inlineAnswers.messageId }).from(inlineAnswers);
      const isInline = inArray(messages.id, inline);
      const isUnfinished = and(eq(messages.role, 'assistant'), isNull(messages.settledAt), not(isInline));
      const question = alias(messages, 'question');
      const rows = await db
        .select({ answer: messages, questionUserId: question.userId, conversation: conversations })
        .from(messages)
        .innerJoin(conversations, eq(conversations.id, messages.conversationId))
        .leftJoin(question, eq(question.id, messages.parentId))
        .where(and(isUnfinished, eq(conversations.chatId, chatId)))
        .orderBy(messages.id);
      const ids = rows.flatMap(({ answer }) => (answer.parentId === null ? [answer.id] : [answer.id, answer.parentId]));
      const shown = await db
        .select()
        .from(deliveries)
        .where(and(inArray(deliveries.messageId, ids), eq(deliveries.chatId, chatId)))
        .orderBy(deliveries.page, deliveries.telegramMessageId);
      const planned = await db
        .select()
        .from(plannedSends)
        .where(inArray(plannedSends.messageId, ids))
        .orderBy(plannedSends.page);
      return rows.flatMap(({ answer, questionUserId, conversation }) =>
        toUnfinishedAnswer({ answer, questionUserId, conversation, shown, planned }),
      );
    },
  };
}

/** Message ids of supergroups can't be compared with those of other chats. */
function isCountedWith(chatId: number) {
  return countsAlone(chatId) ? eq(deliveries.chatId, chatId) : gt(deliveries.chatId, GREATEST_SUPERGROUP_ID);
}

interface UnfinishedRows {
  readonly answer: typeof messages.$inferSelect;
  readonly questionUserId: number | null;
  readonly conversation: typeof conversations.$inferSelect;
  readonly shown: readonly (typeof deliveries.$inferSelect)[];
  readonly planned: readonly (typeof plannedSends.$inferSelect)[];
}

function toUnfinishedAnswer({
  answer,
  questionUserId,
  conversation,
  shown,
  planned,
}: UnfinishedRows): UnfinishedAnswer[] {
  const { id, parentId: questionId, createdAt, resumptions } = answer;
  if (questionId === null) return [];
  // A page that was sent again has several rows: the last one is shown.
  const pages = new Map(shown.filter((row) => row.messageId === id).map((row) => [row.page, row.telegramMessageId]));
  return [
    {
      id,
      questionId,
      createdAt,
      resumptions,
      chatTopic: { chatId: conversation.chatId, topicId: conversation.topicId ?? undefined },
      userId: questionUserId ?? conversation.userId,
      questionMessageId: shown.find((row) => row.messageId === questionId)?.telegramMessageId,
      shownIn: [...pages.values()],
      planned: planned.filter((row) => row.messageId === id),
    },
  ];
}
