import { and, count, desc, eq, sql } from 'drizzle-orm';
import { toBigintArray } from '../../database/expressions.ts';
import { deliveries, feedback, messages, usage } from '../../database/schema/index.ts';
import { createLookup } from '../../lib/async/batch-loader.ts';
import type { LedgerReaderDeps } from '../accounts/index.ts';

/** A user's rating of an answer. */
export type Rating = 'up' | 'down';

/** A Telegram message. */
export interface ShownIn {
  readonly chatId: number;
  readonly telegramMessageId: number;
}

/** Ratings of answers: one per user and answer, which the user can change and remove. */
export type Feedback = ReturnType<typeof createFeedback>;

/** Creates ratings in the database. Answers of the API are found in the usage ledger. */
export function createFeedback({ db, clock, recorder }: LedgerReaderDeps) {
  // Called on every reaction in every group, most of them to messages of others.
  const findShown = createLookup(async (keys: readonly string[]) => {
    const ids = keys.map((key) => key.split(' ').map(Number));
    const [chatIds, messageIds] = [ids.map(([chatId = 0]) => chatId), ids.map(([, id = 0]) => id)];
    const rows = await db
      .select({ ...shownAs, id: messages.id, model: messages.model })
      .from(sql`unnest(${toBigintArray(chatIds)}, ${toBigintArray(messageIds)}) as asked (chat_id, message_id)`)
      .innerJoin(
        deliveries,
        and(sql`${deliveries.chatId} = asked.chat_id`, sql`${deliveries.telegramMessageId} = asked.message_id`),
      )
      .innerJoin(messages, and(eq(messages.id, deliveries.messageId), eq(messages.role, 'assistant')));
    return new Map(rows.map((row) => [toKey({ ...row, telegramMessageId: row.telegramMessageId ?? 0 }), row]));
  });
  const store = async (
    userId: number,
    { id: messageId, model }: { readonly id: number; readonly model: string | null },
    rating: Rating,
  ) => {
    const opinion = { rating, createdAt: new Date(clock.now()) };
    await db
      .insert(feedback)
      .values({ userId, messageId, model: model ?? '', ...opinion })
      .onConflictDoUpdate({ target: [feedback.userId, feedback.messageId], set: opinion });
  };
  /** Removes a rating if it equals `rating`. */
  const takeBack = async (userId: number, messageId: number, rating: Rating): Promise<boolean> => {
    const isSame = and(eq(feedback.userId, userId), eq(feedback.messageId, messageId), eq(feedback.rating, rating));
    return (await db.delete(feedback).where(isSame).returning({ id: feedback.id })).length > 0;
  };

  return {
    /** Returns whether a Telegram message shows a part of an answer. */
    isAnswer: async (shownIn: ShownIn): Promise<boolean> => (await findShown(toKey(shownIn))) !== undefined,
    /**
     * Applies a change of a user's reaction to a Telegram message, if it shows an answer.
     * @param change if `to` is undefined, only a rating equal to `from` is removed: a different one was not given by a
     * reaction.
     */
    async rateMessage(
      userId: number,
      shownIn: ShownIn,
      { from, to }: { readonly from: Rating | undefined; readonly to: Rating | undefined },
    ): Promise<void> {
      const answer = await findShown(toKey(shownIn));
      if (!answer) return;
      if (to !== undefined) await store(userId, answer, to);
      else if (from !== undefined) await takeBack(userId, answer.id, from);
    },
    /**
     * Rates an answer in a chat by its id; the same rating again removes it.
     * @returns the current rating; undefined if there is none, or no such answer.
     */
    async toggleAnswer(userId: number, answerId: number, rating: Rating): Promise<Rating | undefined> {
      const [answer] = await db
        .select({ id: messages.id, model: messages.model })
        .from(messages)
        .where(and(eq(messages.id, answerId), eq(messages.role, 'assistant')));
      if (!answer || (await takeBack(userId, answerId, rating))) return undefined;
      await store(userId, answer, rating);
      return rating;
    },
    /** Counts the ratings of an answer in a chat. */
    async countOpinions(answerId: number): Promise<{ readonly up: number; readonly down: number }> {
      const rows = await db
        .select({ rating: feedback.rating, count: count() })
        .from(feedback)
        .where(eq(feedback.messageId, answerId))
        .groupBy(feedback.rating);
      const counts = Object.fromEntries(rows.map((row) => [row.rating, row.count]));
      return { up: counts['up'] ?? 0, down: counts['down'] ?? 0 };
    },
    /**
     * Rates an answer of the API. A rating without a comment removes an earlier comment; `rating` undefined removes the
     * rating.
     * @returns false if the user has received no answer with this id.
     */
    async rateReply(
      userId: number,
      {
        replyId,
        rating,
        comment,
      }: { readonly replyId: string; readonly rating: Rating | undefined; readonly comment?: string | undefined },
    ): Promise<boolean> {
      await recorder.flush();
      const [reply] = await db
        .select({ model: usage.model })
        .from(usage)
        .where(and(eq(usage.replyId, replyId), eq(usage.userId, userId)))
        .orderBy(desc(usage.createdAt))
        .limit(1);
      if (!reply) return false;
      if (rating === undefined) {
        await db.delete(feedback).where(and(eq(feedback.userId, userId), eq(feedback.replyId, replyId)));
        return true;
      }
      const opinion = { rating, comment: comment ?? null, createdAt: new Date(clock.now()) };
      await db
        .insert(feedback)
        .values({ userId, replyId, model: reply.model, ...opinion })
        .onConflictDoUpdate({ target: [feedback.userId, feedback.replyId], set: opinion });
      return true;
    },
  };
}

const shownAs = { chatId: deliveries.chatId, telegramMessageId: deliveries.telegramMessageId };

function toKey({ chatId, telegramMessageId }: ShownIn): string {
  return `${chatId} ${telegramMessageId}`;
}
