import { and, desc, eq } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { deliveries, feedback, messages, usage } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { UsageRecorder } from '../accounts/index.ts';

/** What somebody thinks of an answer. */
export type Rating = 'up' | 'down';

/** What people think of answers: one opinion a person and answer, which they can change and take back. */
export interface Feedback {
  /**
   * About the answer of which a Telegram message shows a part.
   * @param rating undefined takes an earlier one back.
   * @returns false where no answer stands there.
   */
  rateMessage(
    personId: number,
    shownIn: { readonly chatId: number; readonly telegramMessageId: number },
    rating: Rating | undefined,
  ): Promise<boolean>;
  /**
   * About an answer of the API. An opinion without a comment removes the comment of an earlier one.
   * @returns false where this person was not given an answer with this id.
   */
  rateReply(
    personId: number,
    opinion: { readonly replyId: string; readonly rating: Rating | undefined; readonly comment?: string | undefined },
  ): Promise<boolean>;
}

/** Opinions in the database. What answers the API has given stands in the books of usage. */
export function createFeedback({
  db,
  clock,
  recorder,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly recorder: Pick<UsageRecorder, 'flush'>;
}): Feedback {
  return {
    async rateMessage(personId, { chatId, telegramMessageId }, rating) {
      const [answer] = await db
        .select({ id: messages.id, model: messages.model })
        .from(deliveries)
        .innerJoin(messages, eq(messages.id, deliveries.messageId))
        .where(
          and(
            eq(deliveries.chatId, chatId),
            eq(deliveries.telegramMessageId, telegramMessageId),
            eq(messages.role, 'assistant'),
          ),
        );
      if (!answer) return false;
      const { id: messageId } = answer;
      if (rating === undefined) {
        await db.delete(feedback).where(and(eq(feedback.personId, personId), eq(feedback.messageId, messageId)));
        return true;
      }
      const opinion = { rating, createdAt: new Date(clock.now()) };
      await db
        .insert(feedback)
        .values({ personId, messageId, model: answer.model ?? '', ...opinion })
        .onConflictDoUpdate({ target: [feedback.personId, feedback.messageId], set: opinion });
      return true;
    },
    async rateReply(personId, { replyId, rating, comment }) {
      await recorder.flush();
      const [reply] = await db
        .select({ model: usage.model })
        .from(usage)
        .where(and(eq(usage.replyId, replyId), eq(usage.personId, personId)))
        .orderBy(desc(usage.id))
        .limit(1);
      if (!reply) return false;
      if (rating === undefined) {
        await db.delete(feedback).where(and(eq(feedback.personId, personId), eq(feedback.replyId, replyId)));
        return true;
      }
      const opinion = { rating, comment: comment ?? null, createdAt: new Date(clock.now()) };
      await db
        .insert(feedback)
        .values({ personId, replyId, model: reply.model, ...opinion })
        .onConflictDoUpdate({ target: [feedback.personId, feedback.replyId], set: opinion });
      return true;
    },
  };
}
