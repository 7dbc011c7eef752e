import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { conversations, inlineAnswers, messages } from '../../../database/schema/index.ts';
import { toStorableText } from '../../../database/storable.ts';
import type { ChatLeases } from '../../inbox/index.ts';
import type { ChatTopic } from '../chat-topic.ts';
import { type StoredMessage, toMessage } from '../messages/stored-message.ts';

/** A question asked in inline mode or as a guest, and its answer. */
export interface InlineAnswer {
  readonly inlineMessageId: string;
  /** The message must include the question, because no message above shows it. */
  readonly showsQuestion: boolean;
  readonly question: StoredMessage;
  readonly answer: StoredMessage;
  /** The private chat of the user who asked, where the conversation can be continued. */
  readonly chatTopic: ChatTopic;
  readonly createdAt: Date;
  /** Number of restarts after a crash. */
  readonly resumptions: number;
}

/**
 * Stores answers in messages of chats that the bot need not be a member of. Each starts a conversation in the private chat of
 * the user who asked.
 */
export function createInlineAnswers({ db, chatLeases }: { readonly db: Database; readonly chatLeases: ChatLeases }) {
  const list = async (where: ReturnType<typeof and>) => {
    const rows = await db
      .select({ inline: inlineAnswers, answer: messages, conversation: conversations })
      .from(inlineAnswers)
      .innerJoin(messages, eq(messages.id, inlineAnswers.messageId))
      .innerJoin(conversations, eq(conversations.id, messages.conversationId))
      .where(where)
      .orderBy(messages.id);
    const found = await Promise.all(
      rows.map(async ({ inline: { inlineMessageId, showsQuestion }, answer, conversation }) => {
        const [question] = await db
          .select()
          .from(messages)
          .where(eq(messages.id, answer.parentId ?? 0));
        const { createdAt, resumptions } = answer;
        const chatTopic = { chatId: conversation.chatId, topicId: conversation.topicId ?? undefined };
        const common = { inlineMessageId, showsQuestion, chatTopic, createdAt, resumptions, answer: toMessage(answer) };
        return question ? [{ ...common, question: toMessage(question) }] : [];
      }),
    );
    return found.flat();
  };

  return {
    /**
     * Creates the conversation with its question and an empty answer.
     * @returns undefined if the Telegram message has an answer already.
     */
    async beginInlineAnswer({
      inlineMessageId,
      chatTopic,
      userId,
      model,
      ...asked
    }: {
      readonly inlineMessageId: string;
      readonly chatTopic: ChatTopic;
      readonly userId: number;
      readonly content: string;
      readonly attachments: StoredMessage['attachments'];
      readonly model: string;
      readonly title: string | undefined;
      readonly showsQuestion: boolean;
    }): Promise<InlineAnswer | undefined> {
      const { chatId, topicId = null } = chatTopic;
      const answerId = await db.transaction(async (tx) => {
        await chatLeases.hold(tx);
        const [conversation] = await tx
          .insert(conversations)
          .values({ chatId, topicId, userId, isCurrent: false, title: asked.title ?? null })
          .returning({ id: conversations.id });
        const conversationId = conversation?.id ?? 0;
        const [question] = await tx
          .insert(messages)
          .values({
            conversationId,
            role: 'user',
            userId,
            content: toStorableText(asked.content),
            attachments: asked.attachments,
          })
          .returning({ id: messages.id });
        const [answer] = await tx
          .insert(messages)
          .values({ conversationId, parentId: question?.id, role: 'assistant', content: '', model })
          .returning({ id: messages.id });
        const messageId = answer?.id ?? 0;
        await tx.update(conversations).set({ headId: messageId }).where(eq(conversations.id, conversationId));
        const taken = await tx
          .insert(inlineAnswers)
          .values({ inlineMessageId, messageId, showsQuestion: asked.showsQuestion })
          .onConflictDoNothing()
          .returning({ id: inlineAnswers.messageId });
        if (taken.length > 0) return messageId;
        await tx.delete(conversations).where(eq(conversations.id, conversationId));
        return undefined;
      });
      return answerId === undefined ? undefined : (await list(eq(messages.id, answerId)))[0];
    },
    async findInlineAnswer(answerId: number): Promise<InlineAnswer | undefined> {
      return (await list(eq(messages.id, answerId)))[0];
    },
    /** Lists inline answers of a private chat's user that are in progress or interrupted by a crash, oldest first. */
    listUnfinishedInline: (chatId: number): Promise<readonly InlineAnswer[]> =>
      list(and(eq(conversations.chatId, chatId), isNull(messages.settledAt))),
  };
}
