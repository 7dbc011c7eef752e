import { type AnyColumn, and, eq, isNull, ne, notExists, notInArray, or, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { conversations, deliveries, messages } from '../../../database/schema/index.ts';
import type { ChatLeases } from '../../inbox/index.ts';
import { type StoredMessage, toMessage } from '../messages/stored-message.ts';

/** An answer and the chat that shows it. */
export interface ShownAnswer {
  readonly answerId: number;
  readonly chatId: number;
}

/** Finish reasons of answers that are not worth showing as variants. */
const BROKEN = ['error', 'interrupted', 'content_filter'];

/** Selects among several answers to one question, of which the chat shows one; the conversation continues from that one. */
export function createVariants({ db, chatLeases }: { readonly db: Database; readonly chatLeases: ChatLeases }) {
  const listShownIn = async (tx: Database, { answerId, chatId }: ShownAnswer) => {
    const rows = await tx
      .select({ page: deliveries.page, id: deliveries.telegramMessageId })
      .from(deliveries)
      .where(and(eq(deliveries.messageId, answerId), eq(deliveries.chatId, chatId)))
      .orderBy(deliveries.page, deliveries.telegramMessageId);
    // A page that was sent again has several rows: the last one is shown.
    return [...new Map(rows.map(({ page, id }) => [page, id])).values()];
  };
  const setHead = async (tx: Database, messageId: number) => {
    const conversationId = tx.select({ id: messages.conversationId }).from(messages).where(eq(messages.id, messageId));
    await tx.update(conversations).set({ headId: messageId }).where(sql`${conversations.id} = (${conversationId})`);
  };

  const showInstead = async (tx: Database, { answerId, chatId }: ShownAnswer, insteadOfId: number) => {
    await tx
      .update(deliveries)
      .set({ messageId: answerId })
      .where(and(eq(deliveries.messageId, insteadOfId), eq(deliveries.chatId, chatId)));
    await tx.update(messages).set({ settledAt: null }).where(eq(messages.id, answerId));
    await tx
      .update(messages)
      .set({ settledAt: sql`now()` })
      .where(and(eq(messages.id, insteadOfId), isNull(messages.settledAt)));
  };
  /** The conversation may have moved on from the empty answer: its head changes only if that is the head. */
  const returnTo = async (tx: Database, answerId: number, emptyId: number) => {
    await tx.update(messages).set({ parentId: answerId }).where(eq(messages.parentId, emptyId));
    await tx.update(conversations).set({ headId: answerId }).where(eq(conversations.headId, emptyId));
  };

  return {
    /**
     * Lists the variants that the messages of an answer can show, oldest first: those with text. Omitted are failed or
     * interrupted ones, except this answer itself, and those that other messages of the chat show.
     */
    async listVariants(answerId: number): Promise<readonly StoredMessage[]> {
      const questionId = db.select({ id: messages.parentId }).from(messages).where(eq(messages.id, answerId));
      const isWhole = or(
        isNull(messages.finishReason),
        notInArray(messages.finishReason, BROKEN),
        eq(messages.id, answerId),
      );
      // A compared answer gets messages of its own, perhaps later than its text.
      const isComingAlone = sql`${messages.extras} -> 'comparison' is not null and ${messages.settledAt} is null`;
      const isShownHere = sql`${deliveries.chatId} = (${chatOf(db, messages.conversationId)})`;
      const ownMessages = db
        .select({ id: deliveries.telegramMessageId })
        .from(deliveries)
        .where(and(eq(deliveries.messageId, messages.id), isShownHere));
      const rows = await db
        .select()
        .from(messages)
        .where(
          and(
            sql`${messages.parentId} = (${questionId})`,
            eq(messages.role, 'assistant'),
            ne(messages.content, ''),
            isWhole,
            or(eq(messages.id, answerId), and(notExists(ownMessages), sql`not (${isComingAlone})`)),
          ),
        )
        .orderBy(messages.id);
      return rows.map(toMessage);
    },
    /** Returns the ids of the Telegram messages that show an answer, in the order of pages. */
    listShownIn: (shown: ShownAnswer): Promise<readonly number[]> => listShownIn(db, shown),
    /**
     * Assigns the Telegram messages of the replaced answer to an answer, unless done before.
     * @returns the ids of all messages of the answer, in the order of pages.
     */
    takeOver: (shown: ShownAnswer): Promise<readonly number[]> =>
      db.transaction(async (tx) => {
        await chatLeases.hold(tx);
        const replaced = tx.select({ id: messages.replacesId }).from(messages).where(eq(messages.id, shown.answerId));
        await tx
          .update(deliveries)
          .set({ messageId: shown.answerId })
          .where(and(sql`${deliveries.messageId} = (${replaced})`, eq(deliveries.chatId, shown.chatId)));
        return listShownIn(tx, shown);
      }),
    /**
     * Makes another variant the head of the conversation, shown in the Telegram messages of `insteadOfId`. The variant
     * counts as undelivered until it is settled; the other answer is settled.
     * @returns the ids of the messages, in the order of pages.
     */
    chooseVariant: (shown: ShownAnswer, insteadOfId: number): Promise<readonly number[]> =>
      db.transaction(async (tx) => {
        await chatLeases.hold(tx);
        await showInstead(tx, shown, insteadOfId);
        await setHead(tx, shown.answerId);
        return listShownIn(tx, shown);
      }),
    /**
     * Shows an older answer again in the Telegram messages of the empty one that was to replace it. What follows the
     * empty one follows it from now on.
     */
    restoreReplaced: (shown: ShownAnswer, emptyId: number): Promise<void> =>
      db.transaction(async (tx) => {
        await chatLeases.hold(tx);
        await showInstead(tx, shown, emptyId);
        await returnTo(tx, shown.answerId, emptyId);
      }),
    /** Lets what follows an empty answer follow the older one that it was to replace. */
    returnToReplaced: (replacedId: number, emptyId: number): Promise<void> =>
      db.transaction(async (tx) => {
        await chatLeases.hold(tx);
        await returnTo(tx, replacedId, emptyId);
      }),
    /** Marks an ended answer as unfinished and undelivered, because it is going to be extended. */
    async reopenMessage(answerId: number): Promise<void> {
      await chatLeases.fence(db, (tx) =>
        tx.update(messages).set({ settledAt: null, finishReason: null }).where(eq(messages.id, answerId)),
      );
    },
    /** Makes a message the head of its conversation. */
    setHead: (messageId: number): Promise<void> => chatLeases.fence(db, (tx) => setHead(tx, messageId)),
  };
}

/** Selects the chat of a conversation. */
function chatOf(db: Database, conversationId: AnyColumn) {
  return db.select({ id: conversations.chatId }).from(conversations).where(eq(conversations.id, conversationId));
}
