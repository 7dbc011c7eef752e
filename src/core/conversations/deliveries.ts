import { and, desc, eq, gt, inArray, isNull, lt, not, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../../database/connect.ts';
import { deliveries, inlineAnswers, messages, plannedSends, threads } from '../../database/schema/index.ts';
import type { Place } from './place.ts';

/** An answer that the chat does not show in its final form yet. */
export interface OwedAnswer {
  readonly id: number;
  readonly questionId: number;
  readonly place: Place;
  /** Who asked; where that is not known, who opened the thread. */
  readonly userId: number;
  readonly createdAt: Date;
  /** How often it was begun anew after a crash. */
  readonly resumptions: number;
  /** The Telegram message that asked, where it is known. */
  readonly askedIn: number | undefined;
  /** Telegram messages that show what there is of it, in the order of pages. */
  readonly shownIn: readonly number[];
  /** Pages that were about to be sent when the process died: nobody knows whether they arrived. */
  readonly planned: readonly PlannedSend[];
}

/** A page that is about to be sent. */
export interface PlannedSend {
  /** From 0. */
  readonly page: number;
  readonly chatId: number;
  /** A Telegram message id that is surely older than the page's. */
  readonly afterTelegramId: number;
}

/** What the chats show of the messages, and what they are still owed. */
export interface Deliveries {
  /** The chat shows all of an assistant's message, or what is missing is given up: nothing is owed any more. */
  settleMessage(messageId: number): Promise<void>;
  /** Notes that a page is about to be sent: with the note, a crash between here and `recordDelivery` can be mended. */
  planSend(messageId: number, planned: PlannedSend): Promise<void>;
  /** What was planned is known not to be in the chat. */
  forgetPlannedSends(messageId: number): Promise<void>;
  /** Notes that a Telegram message shows page `page` (from 0) of a message; it is planned no more. Repeating is harmless. */
  recordDelivery(
    messageId: number,
    delivery: { chatId: number; telegramMessageId: number; page: number },
  ): Promise<void>;
  /** A Telegram message stands in the chat no more. */
  forgetDelivery(chatId: number, telegramMessageId: number): Promise<void>;
  /**
   * The newest answer of a place that stands in the chat, and the Telegram message with its last page.
   * @param before an answer's id: the newest one that is older.
   */
  findLastAnswer(
    place: Place,
    before?: number,
  ): Promise<{ readonly answerId: number; readonly telegramMessageId: number } | undefined>;
  /** Where an answer stands, and who asked; undefined where that is not known any more. */
  findAsked(answerId: number): Promise<{ readonly place: Place; readonly userId: number } | undefined>;
  /** Ids of Telegram messages after one, as far as they are known from conversations: of one chat, or of all that count together. */
  listTelegramIds(range: { readonly after: number; readonly chatId: number }): Promise<readonly number[]>;
  /** The newest of them. */
  findNewestTelegramId(chatId: number): Promise<number | undefined>;
  /** Of the places of a chat, oldest first: what is being written or delivered there, or what a crash has cut short. */
  listOwed(chatId: number): Promise<readonly OwedAnswer[]>;
}

/** All chats with greater ids count their messages together, see `countsAlone`. */
export const GREATEST_SUPERGROUP_ID = -1_000_000_000_000;
const MAX_TELEGRAM_IDS = 2000;

/** Supergroups and channels count their messages by themselves. A bot's private chats and basic groups do so together. */
export function countsAlone(chatId: number): boolean {
  return chatId <= GREATEST_SUPERGROUP_ID;
}

/** Deliveries in the database. */
export function createDeliveries({ db }: { readonly db: Database }): Deliveries {
  return {
    settleMessage: (messageId) =>
      db.transaction(async (tx) => {
        await tx.update(messages).set({ settledAt: sql`now()` }).where(eq(messages.id, messageId));
        await tx.delete(plannedSends).where(eq(plannedSends.messageId, messageId));
      }),
    async planSend(messageId, planned) {
      const { chatId, afterTelegramId } = planned;
      await db
        .insert(plannedSends)
        .values({ messageId, ...planned })
        .onConflictDoUpdate({ target: [plannedSends.messageId, plannedSends.page], set: { chatId, afterTelegramId } });
    },
    async forgetPlannedSends(messageId) {
      await db.delete(plannedSends).where(eq(plannedSends.messageId, messageId));
    },
    recordDelivery: (messageId, delivery) =>
      db.transaction(async (tx) => {
        const { page } = delivery;
        await tx
          .insert(deliveries)
          .values({ ...delivery, messageId })
          .onConflictDoUpdate({ target: [deliveries.chatId, deliveries.telegramMessageId], set: { messageId, page } });
        await tx.delete(plannedSends).where(and(eq(plannedSends.messageId, messageId), eq(plannedSends.page, page)));
      }),
    async forgetDelivery(chatId, telegramMessageId) {
      await db
        .delete(deliveries)
        .where(and(eq(deliveries.chatId, chatId), eq(deliveries.telegramMessageId, telegramMessageId)));
    },
    async findLastAnswer({ chatId, topicId }, before) {
      const isHere = topicId === undefined ? isNull(threads.topicId) : eq(threads.topicId, topicId);
      const isOlder = before === undefined ? undefined : lt(messages.id, before);
      const [row] = await db
        .select({ answerId: messages.id, telegramMessageId: deliveries.telegramMessageId })
        .from(deliveries)
        .innerJoin(messages, eq(messages.id, deliveries.messageId))
        .innerJoin(threads, eq(threads.id, messages.threadId))
        .where(and(eq(deliveries.chatId, chatId), eq(messages.role, 'assistant'), isHere, isOlder))
        .orderBy(desc(deliveries.telegramMessageId))
        .limit(1);
      return row;
    },
    async findAsked(answerId) {
      const question = alias(messages, 'question');
      const [row] = await db
        .select({ chatId: threads.chatId, topicId: threads.topicId, userId: question.userId })
        .from(messages)
        .innerJoin(threads, eq(threads.id, messages.threadId))
        .innerJoin(question, eq(question.id, messages.parentId))
        .where(eq(messages.id, answerId));
      if (!row || row.userId === null) return undefined;
      return { place: { chatId: row.chatId, topicId: row.topicId ?? undefined }, userId: row.userId };
    },
    async listTelegramIds({ after, chatId }) {
      const rows = await db
        .select({ id: deliveries.telegramMessageId })
        .from(deliveries)
        .where(and(gt(deliveries.telegramMessageId, after), isCountedWith(chatId)))
        .orderBy(deliveries.telegramMessageId)
        .limit(MAX_TELEGRAM_IDS);
      return rows.map(({ id }) => id);
    },
    async findNewestTelegramId(chatId) {
      const [row] = await db
        .select({ id: deliveries.telegramMessageId })
        .from(deliveries)
        .where(isCountedWith(chatId))
        .orderBy(desc(deliveries.telegramMessageId))
        .limit(1);
      return row?.id;
    },
    async listOwed(chatId) {
      const inline = db.select({ id: inlineAnswers.messageId }).from(inlineAnswers);
      const isElsewhere = inArray(messages.id, inline);
      const isOwed = and(eq(messages.role, 'assistant'), isNull(messages.settledAt), not(isElsewhere));
      const question = alias(messages, 'question');
      const rows = await db
        .select({ answer: messages, askerId: question.userId, thread: threads })
        .from(messages)
        .innerJoin(threads, eq(threads.id, messages.threadId))
        .leftJoin(question, eq(question.id, messages.parentId))
        .where(and(isOwed, eq(threads.chatId, chatId)))
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
      return rows.flatMap(({ answer, askerId, thread }) => toOwedAnswer({ answer, askerId, thread, shown, planned }));
    },
  };
}

/** Ids of supergroups say nothing about others. */
function isCountedWith(chatId: number) {
  return countsAlone(chatId) ? eq(deliveries.chatId, chatId) : gt(deliveries.chatId, GREATEST_SUPERGROUP_ID);
}

interface OwedRows {
  readonly answer: typeof messages.$inferSelect;
  readonly askerId: number | null;
  readonly thread: typeof threads.$inferSelect;
  readonly shown: readonly (typeof deliveries.$inferSelect)[];
  readonly planned: readonly (typeof plannedSends.$inferSelect)[];
}

function toOwedAnswer({ answer, askerId, thread, shown, planned }: OwedRows): OwedAnswer[] {
  const { id, parentId: questionId, createdAt, resumptions } = answer;
  if (questionId === null) return [];
  // A page that had to be sent afresh has more than one row: the last one stands in the chat.
  const pages = new Map(shown.filter((row) => row.messageId === id).map((row) => [row.page, row.telegramMessageId]));
  return [
    {
      id,
      questionId,
      createdAt,
      resumptions,
      place: { chatId: thread.chatId, topicId: thread.topicId ?? undefined },
      userId: askerId ?? thread.userId,
      askedIn: shown.find((row) => row.messageId === questionId)?.telegramMessageId,
      shownIn: [...pages.values()],
      planned: planned.filter((row) => row.messageId === id),
    },
  ];
}
