import { and, eq, ne, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { conversations, messages } from '../../../database/schema/index.ts';
import type { ChatLeases } from '../../inbox/index.ts';
import { type StoredMessage, toMessage } from '../messages/stored-message.ts';

/** Reads and changes answers of several models to one question, each shown in messages of its own. */
export function createComparedAnswers({ db, chatLeases }: { readonly db: Database; readonly chatLeases: ChatLeases }) {
  const isCompared = (questionId: number) =>
    and(
      eq(messages.parentId, questionId),
      eq(messages.role, 'assistant'),
      sql`${messages.extras} -> 'comparison' is not null`,
    );
  return {
    /**
     * Adds an unfinished answer of each model to a question, all or none. The first becomes the head of the conversation.
     * @param pressId callback query that starts the comparison.
     * @returns the answers in the order of the models.
     * @throws ChatLostError
     */
    addCompared: (
      question: StoredMessage,
      models: readonly string[],
      pressId: string,
    ): Promise<readonly StoredMessage[]> =>
      db.transaction(async (tx) => {
        await chatLeases.hold(tx);
        const { conversationId, id: parentId } = question;
        const answers: StoredMessage[] = [];
        for (const model of models) {
          const answer = { conversationId, parentId, role: 'assistant', content: '', model } as const;
          const rows = await tx
            .insert(messages)
            .values({ ...answer, extras: { comparison: { model, pressId } } })
            .returning();
          answers.push(...rows.map(toMessage));
        }
        const [first] = answers;
        if (first) await tx.update(conversations).set({ headId: first.id }).where(eq(conversations.id, conversationId));
        return answers;
      }),
    /** Lists the compared answers to a question, oldest first. */
    async listCompared(questionId: number): Promise<readonly StoredMessage[]> {
      const rows = await db.select().from(messages).where(isCompared(questionId)).orderBy(messages.id);
      return rows.map(toMessage);
    },
    /**
     * If the head of the conversation is a compared answer to this question that has ended without text, makes the oldest
     * one with text the head. @returns its id; undefined if the head stays.
     */
    async replaceEmptyHead(questionId: number): Promise<number | undefined> {
      const heads = db
        .select({ id: messages.id })
        .from(messages)
        .where(and(isCompared(questionId), eq(messages.content, ''), sql`${messages.finishReason} is not null`));
      const [withText] = await db
        .select({ id: messages.id })
        .from(messages)
        .where(and(isCompared(questionId), ne(messages.content, '')))
        .orderBy(messages.id)
        .limit(1);
      if (!withText) return undefined;
      const isHead = sql`${conversations.headId} in (${heads})`;
      const changed = await chatLeases.fence(db, (tx) =>
        tx.update(conversations).set({ headId: withText.id }).where(isHead).returning({ id: conversations.id }),
      );
      return changed.length > 0 ? withText.id : undefined;
    },
  };
}
