import { and, eq, exists, notInArray, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { attachmentTexts, deliveries, type MessageExtras, messages, threads } from '../../database/schema/index.ts';
import { toStorable, toStorableText } from '../../database/storable.ts';
import { type AttachmentTexts, createAttachmentTexts, listUnchanged } from './attachment-texts.ts';
import { type CopiedThreads, createCopiedThreads } from './copied-threads.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { createInlineAnswers, type InlineAnswers } from './inline-answers.ts';
import { selectPath } from './path.ts';
import { createPausedAnswers, type PausedAnswers } from './paused-answers.ts';
import { isAt, type Place } from './place.ts';
import { type Attachment, type StoredMessage, toMessage } from './stored-message.ts';
import { createThreads, type Thread, type Threads } from './threads.ts';
import { createVariants, type Variants } from './variants.ts';

export interface NewMessage {
  readonly threadId: number;
  readonly parentId: number | undefined;
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly attachments?: readonly Attachment[];
  readonly extras?: MessageExtras;
  readonly model?: string;
  /** Who wrote a user's message. */
  readonly userId?: number;
  /** The Telegram message that it was written in: noted in the same moment. */
  readonly shownIn?: { readonly chatId: number; readonly telegramMessageId: number };
  /** The other messages of its album, in order. */
  readonly alsoShownIn?: readonly number[];
  /** The answer in whose Telegram messages this one will be written. */
  readonly replacesId?: number;
  /** The conversation does not go on from it. */
  readonly isAside?: boolean;
}

export interface Conversations
  extends Deliveries,
    Threads,
    Variants,
    AttachmentTexts,
    InlineAnswers,
    CopiedThreads,
    PausedAnswers {
  /** The place's current thread, made where there is none. */
  currentThread(place: Place, userId: number): Promise<Thread>;
  /** A new thread that becomes the place's current one. */
  startThread(place: Place, userId: number): Promise<Thread>;
  /** A group has become a supergroup: its conversations go on there. Repeating is harmless. */
  moveChat(fromChatId: number, toChatId: number): Promise<void>;
  addMessage(message: NewMessage): Promise<StoredMessage>;
  /** Puts the text and the end of an assistant's message in place. The chat may still have to show it. */
  finishMessage(
    messageId: number,
    result: { content: string; finishReason: string; extras?: MessageExtras | undefined },
  ): Promise<void>;
  /**
   * Puts other words into a user's message that no answer has been made of yet. Other attachments take the place of those of before,
   * and what was read in those goes; files that stay in their place keep it.
   * @param partIn a Telegram message that holds a part of it from now on: noted in the same moment.
   */
  rewriteMessage(
    messageId: number,
    words: Pick<StoredMessage, 'content' | 'extras'> & { readonly attachments?: readonly Attachment[] | undefined },
    partIn?: { readonly chatId: number; readonly telegramMessageId: number; readonly page: number },
  ): Promise<void>;
  /** The message of which a Telegram message shows a part. */
  findByDelivery(chatId: number, telegramMessageId: number): Promise<StoredMessage | undefined>;
  findMessage(messageId: number): Promise<StoredMessage | undefined>;
  /** Whether an answer to a message was begun. */
  hasReply(messageId: number): Promise<boolean>;
  /** The leaf on which the next turn goes: the newest message of a thread, or the variant that was chosen since. */
  findLatestMessage(threadId: number): Promise<StoredMessage | undefined>;
  /** Notes that an answer is begun anew after a crash. */
  countResumption(messageId: number): Promise<void>;
  /** From the root to the given message, oldest first. */
  listPath(messageId: number): Promise<readonly StoredMessage[]>;
}

/** Conversations in the database. */
export function createConversations(deps: { readonly db: Database }): Conversations {
  const { db } = deps;
  const kept = createThreads(deps);

  return {
    ...createDeliveries(deps),
    ...createVariants(deps),
    ...kept,
    ...createAttachmentTexts(deps),
    ...createInlineAnswers(deps),
    ...createCopiedThreads(deps),
    ...createPausedAnswers(deps),
    async currentThread(place, userId) {
      const known = await kept.findCurrentThread(place);
      if (known) return known;
      // Two first messages at once: the second insert gives way and finds what the first has made.
      await db
        .insert(threads)
        .values({ ...toColumns(place), userId })
        .onConflictDoNothing();
      const made = await kept.findCurrentThread(place);
      if (!made) throw new Error('The thread that was just made is not there');
      return made;
    },
    startThread: (place, userId) =>
      db.transaction(async (tx) => {
        await tx
          .update(threads)
          .set({ isCurrent: false })
          .where(and(...isAt(place), threads.isCurrent));
        const [row] = await tx
          .insert(threads)
          .values({ ...toColumns(place), userId })
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
    addMessage: ({ shownIn, alsoShownIn = [], isAside = false, extras, ...message }) =>
      db.transaction(async (tx) => {
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
        if (!isAside) await tx.update(threads).set({ headId: added.id }).where(eq(threads.id, added.threadId));
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
    async finishMessage(messageId, result) {
      await db
        .update(messages)
        .set({
          content: toStorableText(result.content),
          finishReason: toStorableText(result.finishReason),
          ...(result.extras && { extras: toStorable(result.extras) }),
        })
        .where(eq(messages.id, messageId));
    },
    rewriteMessage: (messageId, { content, attachments, extras }, partIn) =>
      db.transaction(async (tx) => {
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
      const head = db.select({ id: threads.headId }).from(threads).where(eq(threads.id, threadId));
      const newest = db
        .select({ id: sql<number>`max(${messages.id})` })
        .from(messages)
        .where(eq(messages.threadId, threadId));
      const [row] = await db.select().from(messages).where(sql`${messages.id} = coalesce((${head}), (${newest}))`);
      return row && toMessage(row);
    },
    async countResumption(messageId) {
      await db
        .update(messages)
        .set({ resumptions: sql`${messages.resumptions} + 1` })
        .where(eq(messages.id, messageId));
    },
    async listPath(messageId) {
      // A parent is always older than its child, so the order of ids is the order of the path.
      const rows = await db
        .select()
        .from(messages)
        .where(sql`${messages.id} in ${selectPath(messageId)}`)
        .orderBy(messages.id);
      return rows.map(toMessage);
    },
  };
}

/** Forgets what was read in files that are not where they were. */
async function dropTexts(db: Pick<Database, 'select' | 'delete'>, messageId: number, now: readonly Attachment[]) {
  const [row] = await db.select({ attachments: messages.attachments }).from(messages).where(eq(messages.id, messageId));
  const kept = listUnchanged(row?.attachments ?? [], now);
  const isOfMessage = eq(attachmentTexts.messageId, messageId);
  await db.delete(attachmentTexts).where(and(isOfMessage, notInArray(attachmentTexts.position, [...kept])));
}

function toColumns(place: Place) {
  return { chatId: place.chatId, topicId: place.topicId ?? null };
}

function one<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('The database gave no row back');
  return row;
}
