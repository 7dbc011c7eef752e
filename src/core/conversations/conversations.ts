import { and, desc, eq, exists, gt, inArray, isNull, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../../database/connect.ts';
import { deliveries, messages, plannedSends, threads } from '../../database/schema/index.ts';

/** Where a conversation takes place: a chat, or one topic of it. */
export interface Place {
  readonly chatId: number;
  /** Telegram's `message_thread_id`; undefined outside topics. */
  readonly topicId: number | undefined;
}

/** One conversation. Its messages form a tree: editing or answering an old message branches. */
export interface Thread {
  readonly id: number;
  readonly place: Place;
}

export interface StoredMessage {
  readonly id: number;
  readonly threadId: number;
  readonly parentId: number | undefined;
  readonly role: 'user' | 'assistant';
  /** Markdown as it was written. */
  readonly content: string;
  readonly attachments: readonly Attachment[];
  /** Of an assistant's message: the public model name that was asked. */
  readonly model: string | undefined;
  /** Of an assistant's message: undefined while it is being written; `stop`, `length`, `stopped` (by the person), `error`, … after. */
  readonly finishReason: string | undefined;
}

/** A picture that stands in a message, kept at Telegram. */
export interface Attachment {
  readonly kind: 'photo';
  readonly telegramFileId: string;
}

/** An answer that the chat does not show in its final form yet. */
export interface OwedAnswer {
  readonly id: number;
  readonly questionId: number;
  readonly place: Place;
  /** Who asked; where that is not known, who opened the thread. */
  readonly personId: number;
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

export interface NewMessage {
  readonly threadId: number;
  readonly parentId: number | undefined;
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly attachments?: readonly Attachment[];
  readonly model?: string;
  /** Who wrote a user's message. */
  readonly personId?: number;
  /** The Telegram message that it was written in: noted in the same moment. */
  readonly shownIn?: { readonly chatId: number; readonly telegramMessageId: number };
}

export interface Conversations {
  /** The place's current thread, made where there is none. */
  currentThread(place: Place, personId: number): Promise<Thread>;
  /** A new thread that becomes the place's current one. */
  startThread(place: Place, personId: number): Promise<Thread>;
  /** A group has become a supergroup: its conversations go on there. Repeating is harmless. */
  moveChat(fromChatId: number, toChatId: number): Promise<void>;
  addMessage(message: NewMessage): Promise<StoredMessage>;
  /** Puts the text and the end of an assistant's message in place. The chat may still have to show it. */
  finishMessage(messageId: number, result: { content: string; finishReason: string }): Promise<void>;
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
  /** The message of which a Telegram message shows a part. */
  findByDelivery(chatId: number, telegramMessageId: number): Promise<StoredMessage | undefined>;
  findMessage(messageId: number): Promise<StoredMessage | undefined>;
  /** Whether an answer to a message was begun. */
  hasReply(messageId: number): Promise<boolean>;
  /** The newest message of a thread; the leaf on which the next turn goes. */
  findLatestMessage(threadId: number): Promise<StoredMessage | undefined>;
  /** Ids of Telegram messages after one, as far as they are known from conversations: of one chat, or of all that count together. */
  listTelegramIds(range: {
    readonly after: number;
    readonly chatId: number;
    readonly countsAlone: boolean;
  }): Promise<readonly number[]>;
  /** The newest of them. */
  findNewestTelegramId(range: { readonly chatId: number; readonly countsAlone: boolean }): Promise<number | undefined>;
  /** Of the places of a chat, oldest first: what is being written or delivered, or what a crash has cut short. */
  listOwed(chatId: number): Promise<readonly OwedAnswer[]>;
  /** Notes that an answer is begun anew after a crash. */
  countResumption(messageId: number): Promise<void>;
  /** From the root to the given message, oldest first. */
  listPath(messageId: number): Promise<readonly StoredMessage[]>;
}

/** Conversations in the database. */
export function createConversations(deps: { readonly db: Database }): Conversations {
  const { db } = deps;

  const findCurrentThread = async (place: Place): Promise<Thread | undefined> => {
    const [row] = await db
      .select({ id: threads.id })
      .from(threads)
      .where(and(...isAt(place), threads.isCurrent));
    return row && { id: row.id, place };
  };

  return {
    async currentThread(place, personId) {
      const known = await findCurrentThread(place);
      if (known) return known;
      // Two first messages at once: the second insert gives way and finds what the first has made.
      await db
        .insert(threads)
        .values({ ...toColumns(place), personId })
        .onConflictDoNothing();
      const made = await findCurrentThread(place);
      if (!made) throw new Error('The thread that was just made is not there');
      return made;
    },
    startThread: (place, personId) =>
      db.transaction(async (tx) => {
        await tx
          .update(threads)
          .set({ isCurrent: false })
          .where(and(...isAt(place), threads.isCurrent));
        const [row] = await tx
          .insert(threads)
          .values({ ...toColumns(place), personId })
          .returning({ id: threads.id });
        return { id: one(row).id, place };
      }),
    moveChat: (fromChatId, toChatId) =>
      db.transaction(async (tx) => {
        // What was begun there already stays what people are in the middle of.
        const begun = tx
          .select({ id: threads.id })
          .from(threads)
          .where(and(eq(threads.chatId, toChatId), threads.isCurrent));
        await tx
          .update(threads)
          .set({ isCurrent: false })
          .where(and(eq(threads.chatId, fromChatId), exists(begun)));
        await tx.update(threads).set({ chatId: toChatId }).where(eq(threads.chatId, fromChatId));
      }),
    addMessage: ({ shownIn, ...message }) =>
      db.transaction(async (tx) => {
        const [row] = await tx
          .insert(messages)
          .values({ ...message, content: withoutNul(message.content), attachments: message.attachments ?? [] })
          .returning();
        const added = toMessage(one(row));
        if (shownIn) await tx.insert(deliveries).values({ ...shownIn, messageId: added.id, page: 0 });
        return added;
      }),
    async finishMessage(messageId, result) {
      await db
        .update(messages)
        .set({ content: withoutNul(result.content), finishReason: withoutNul(result.finishReason) })
        .where(eq(messages.id, messageId));
    },
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
    async findByDelivery(chatId, telegramMessageId) {
      const [row] = await db
        .select({ message: messages })
        .from(deliveries)
        .innerJoin(messages, eq(messages.id, deliveries.messageId))
        .where(and(eq(deliveries.chatId, chatId), eq(deliveries.telegramMessageId, telegramMessageId)));
      return row && toMessage(row.message);
    },
    async findMessage(messageId) {
      const [row] = await db.select().from(messages).where(eq(messages.id, messageId));
      return row && toMessage(row);
    },
    async hasReply(messageId) {
      const rows = await db.select({ id: messages.id }).from(messages).where(eq(messages.parentId, messageId)).limit(1);
      return rows.length > 0;
    },
    async findLatestMessage(threadId) {
      const [row] = await db
        .select()
        .from(messages)
        .where(eq(messages.threadId, threadId))
        .orderBy(desc(messages.id))
        .limit(1);
      return row && toMessage(row);
    },
    async listTelegramIds({ after, ...range }) {
      const rows = await db
        .select({ id: deliveries.telegramMessageId })
        .from(deliveries)
        .where(and(gt(deliveries.telegramMessageId, after), isCountedIn(range)))
        .orderBy(deliveries.telegramMessageId)
        .limit(MAX_TELEGRAM_IDS);
      return rows.map(({ id }) => id);
    },
    async findNewestTelegramId(range) {
      const [row] = await db
        .select({ id: deliveries.telegramMessageId })
        .from(deliveries)
        .where(isCountedIn(range))
        .orderBy(desc(deliveries.telegramMessageId))
        .limit(1);
      return row?.id;
    },
    async listOwed(chatId) {
      const isOwed = and(eq(messages.role, 'assistant'), isNull(messages.settledAt));
      const question = alias(messages, 'question');
      const rows = await db
        .select({ answer: messages, askerId: question.personId, thread: threads })
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
    async countResumption(messageId) {
      await db
        .update(messages)
        .set({ resumptions: sql`${messages.resumptions} + 1` })
        .where(eq(messages.id, messageId));
    },
    async listPath(messageId) {
      const ancestors = sql`(
        with recursive path as (
          select id, parent_id from messages where id = ${messageId}
          union all
          select parent.id, parent.parent_id from messages parent join path on parent.id = path.parent_id
        ) select id from path order by id desc limit ${MAX_PATH_MESSAGES}
      )`;
      // A parent is always older than its child, so the order of ids is the order of the path.
      const rows = await db.select().from(messages).where(sql`${messages.id} in ${ancestors}`).orderBy(messages.id);
      return rows.map(toMessage);
    },
  };
}

const GREATEST_SUPERGROUP_ID = -1_000_000_000_000;
const MAX_TELEGRAM_IDS = 2000;

/** More than any model's context holds in messages; keeps a path of years from being read whole. */
const MAX_PATH_MESSAGES = 1000;

/** Ids of supergroups say nothing about others. */
function isCountedIn({ chatId, countsAlone }: { readonly chatId: number; readonly countsAlone: boolean }) {
  return countsAlone ? eq(deliveries.chatId, chatId) : gt(deliveries.chatId, GREATEST_SUPERGROUP_ID);
}

function isAt(place: Place) {
  return [
    eq(threads.chatId, place.chatId),
    place.topicId === undefined ? isNull(threads.topicId) : eq(threads.topicId, place.topicId),
  ];
}

function toColumns(place: Place) {
  return { chatId: place.chatId, topicId: place.topicId ?? null };
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
      ...{ id, questionId, createdAt, resumptions },
      place: { chatId: thread.chatId, topicId: thread.topicId ?? undefined },
      personId: askerId ?? thread.personId,
      askedIn: shown.find((row) => row.messageId === questionId)?.telegramMessageId,
      shownIn: [...pages.values()],
      planned: planned.filter((row) => row.messageId === id),
    },
  ];
}

/** Postgres keeps no U+0000 in text. */
function withoutNul(text: string): string {
  return text.replaceAll('\u0000', '');
}

function one<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('The database gave no row back');
  return row;
}

function toMessage(row: typeof messages.$inferSelect): StoredMessage {
  return {
    id: row.id,
    threadId: row.threadId,
    parentId: row.parentId ?? undefined,
    role: row.role,
    content: row.content,
    attachments: row.attachments,
    model: row.model ?? undefined,
    finishReason: row.finishReason ?? undefined,
  };
}
