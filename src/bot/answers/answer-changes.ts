import type { ChatTopic, StoredMessage } from '../../core/conversations/index.ts';
import type { AnswerContext } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';
import type { Answer, AnswerStart, AskedAnswer, GeneratedAnswer } from './answer.ts';
import { toVariantExtras } from './comparisons.ts';
import type { AnswerQueue } from './queue.ts';
import { findReplyTarget } from './send-about-answer.ts';

/**
 * Position of an answer in its conversation: the last one; the last one with another answer being written; or followed
 * by newer messages.
 */
export type AnswerPosition = 'last' | 'under-way' | 'left-behind';

/**
 * Changes that users make to answers through inline buttons. All methods but `findPosition` expect the last answer of
 * the conversation.
 */
export type AnswerChanges = ReturnType<typeof createAnswerChanges>;

/** A user's decision about the tool call that an answer is paused at. */
export interface Decision {
  readonly pauseId: string;
  readonly isAllowed: boolean;
}

interface AnswerWork {
  readonly queue: AnswerQueue<Answer>;
  readonly begin: (context: AnswerContext, question: StoredMessage, start: AnswerStart) => Promise<void>;
  readonly submit: (asked: AskedAnswer, start: AnswerStart) => void;
}

export function createAnswerChanges({ conversations }: BotServices, { queue, begin, submit }: AnswerWork) {
  return {
    async findPosition(answer: StoredMessage, chatTopic: ChatTopic): Promise<AnswerPosition> {
      const last = await conversations.findLatestMessage(answer.conversationId);
      if (last?.id !== answer.id && last?.parentId !== answer.parentId) return 'left-behind';
      const capacity = queue.checkCapacity(chatTopic);
      // An answer in the state `shown` already has its buttons, although its job still has a record to write.
      const isFree = capacity !== 'overloaded' && queue.listJobs(chatTopic).every(({ state }) => state === 'shown');
      return isFree ? 'last' : 'under-way';
    },
    /**
     * Generates another answer, to the same or to another question, in the Telegram messages of this one.
     * @param replyTo the Telegram message to reply to if the answer has to be sent again.
     */
    async replace(
      context: AnswerContext,
      answer: StoredMessage,
      question: StoredMessage,
      replyTo: number | undefined,
    ): Promise<void> {
      const prefixExtras = toVariantExtras(answer, context.model.id);
      await begin(context, question, { origin: 'variant', replyTo, replacedAnswerId: answer.id, prefixExtras });
    },
    /** Generates a continuation of the answer. */
    async continue(context: AnswerContext, answer: StoredMessage, question: StoredMessage): Promise<void> {
      const takenOverIds = await conversations.listShownIn({ answerId: answer.id, chatId: context.chatTopic.chatId });
      await conversations.reopenMessage(answer.id);
      const { content: prefix, extras: prefixExtras } = answer;
      submit({ id: answer.id, question, context }, { origin: 'continuation', takenOverIds, prefix, prefixExtras });
    },
    /**
     * Continues an answer that is paused until the user allows or denies a tool call.
     * @returns false if the user has already decided.
     */
    async decide(
      context: AnswerContext,
      answer: StoredMessage,
      question: StoredMessage,
      { pauseId, isAllowed }: Decision,
    ): Promise<boolean> {
      const { chatId } = context.chatTopic;
      const takenOverIds = await conversations.listShownIn({ answerId: answer.id, chatId });
      const target = await findReplyTarget({ conversations }, context, question);
      if (!(await conversations.decidePaused(answer.id, pauseId, isAllowed))) return false;
      await conversations.setHead(answer.id);
      const decided = await conversations.findMessage(answer.id);
      submit(
        { id: answer.id, question, context },
        {
          origin: 'continuation',
          ...target,
          takenOverIds,
          replacedAnswerId: answer.replacesId,
          prefix: answer.content,
          prefixExtras: decided?.extras ?? {},
        },
      );
      return true;
    },
    /** Shows another variant in the messages of this answer and makes it the head of the conversation. */
    async selectVariant(
      context: AnswerContext,
      answer: StoredMessage,
      chosen: StoredMessage,
      question: StoredMessage,
    ): Promise<void> {
      const shown = { answerId: chosen.id, chatId: context.chatTopic.chatId };
      const takenOverIds = await conversations.chooseVariant(shown, answer.id);
      submit({ id: chosen.id, question, context }, { origin: 'choice', takenOverIds, written: toGenerated(chosen) });
    },
  };
}

/** Converts a completely written answer. */
function toGenerated({ content: text, finishReason = 'stop', extras }: StoredMessage): GeneratedAnswer {
  return { text, finishReason, failure: undefined, extras };
}
