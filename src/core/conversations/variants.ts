import { and, eq, isNull, ne, notInArray, or, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { deliveries, messages, threads } from '../../database/schema/index.ts';
import { type StoredMessage, toMessage } from './stored-message.ts';

/** An answer and where it stands. */
export interface ShownAnswer {
  readonly answerId: number;
  readonly chatId: number;
}

/** Several answers to one question: one of them stands in the chat, and the conversation goes on from it. */
export interface Variants {
  /** The answers to the question of this one that have any text, oldest first. Of broken ones only this one itself. */
  listVariants(answerId: number): Promise<readonly StoredMessage[]>;
  /** The Telegram messages that show an answer, in the order of pages. */
  listShownIn(shown: ShownAnswer): Promise<readonly number[]>;
  /**
   * Hands an answer the Telegram messages of the one that it replaces, as far as they are not its own already.
   * @returns the messages that it has now, in the order of pages.
   */
  takeOver(shown: ShownAnswer): Promise<readonly number[]>;
  /**
   * Lets the conversation go on from another variant, in the Telegram messages of the one that stood there. The chat owes it until
   * it is settled; nothing is owed of the other one any more.
   * @returns the messages, in the order of pages.
   */
  chooseVariant(shown: ShownAnswer, insteadOfId: number): Promise<readonly number[]>;
  /** An answer that has ended is going to be longer: from now on it is owed, and unfinished with a text. */
  reopenMessage(answerId: number): Promise<void>;
  /** Lets the conversation go on from this message. */
  setHead(messageId: number): Promise<void>;
}

/** Ends that leave a part which nobody wants back. */
const BROKEN = ['error', 'interrupted', 'content_filter'];

/** Variants in the database. */
export function createVariants({ db }: { readonly db: Database }): Variants {
  const listShownIn = async (tx: Database, { answerId, chatId }: ShownAnswer) => {
    const rows = await tx
      .select({ page: deliveries.page, id: deliveries.telegramMessageId })
      .from(deliveries)
      .where(and(eq(deliveries.messageId, answerId), eq(deliveries.chatId, chatId)))
      .orderBy(deliveries.page, deliveries.telegramMessageId);
    // A page that had to be sent afresh has more than one row: the last one stands in the chat.
    return [...new Map(rows.map(({ page, id }) => [page, id])).values()];
  };
  const setHead = async (tx: Database, messageId: number) => {
    const threadId = tx.select({ id: messages.threadId }).from(messages).where(eq(messages.id, messageId));
    await tx.update(threads).set({ headId: messageId }).where(sql`${threads.id} = (${threadId})`);
  };

  return {
    async listVariants(answerId) {
      const questionId = db.select({ id: messages.parentId }).from(messages).where(eq(messages.id, answerId));
      const isWhole = or(
        isNull(messages.finishReason),
        notInArray(messages.finishReason, BROKEN),
        eq(messages.id, answerId),
      );
      const rows = await db
        .select()
        .from(messages)
        .where(
          and(
            sql`${messages.parentId} = (${questionId})`,
            eq(messages.role, 'assistant'),
            ne(messages.content, ''),
            isWhole,
          ),
        )
        .orderBy(messages.id);
      return rows.map(toMessage);
    },
    listShownIn: (shown) => listShownIn(db, shown),
    takeOver: (shown) =>
      db.transaction(async (tx) => {
        const replaced = tx.select({ id: messages.replacesId }).from(messages).where(eq(messages.id, shown.answerId));
        await tx
          .update(deliveries)
          .set({ messageId: shown.answerId })
          .where(and(sql`${deliveries.messageId} = (${replaced})`, eq(deliveries.chatId, shown.chatId)));
        return listShownIn(tx, shown);
      }),
    chooseVariant: (shown, insteadOfId) =>
      db.transaction(async (tx) => {
        const { answerId, chatId } = shown;
        await tx
          .update(deliveries)
          .set({ messageId: answerId })
          .where(and(eq(deliveries.messageId, insteadOfId), eq(deliveries.chatId, chatId)));
        await tx.update(messages).set({ settledAt: null }).where(eq(messages.id, answerId));
        await tx
          .update(messages)
          .set({ settledAt: sql`now()` })
          .where(and(eq(messages.id, insteadOfId), isNull(messages.settledAt)));
        await setHead(tx, answerId);
        return listShownIn(tx, shown);
      }),
    async reopenMessage(answerId) {
      await db.update(messages).set({ settledAt: null, finishReason: null }).where(eq(messages.id, answerId));
    },
    setHead: (messageId) => setHead(db, messageId),
  };
}
