import {
  type ChatTopic,
  isReminder,
  type StoredMessage,
  type UnfinishedAnswer,
} from '../../core/conversations/index.ts';
import type { JobScope, StoppedCounts } from '../../core/jobs/index.ts';
import { type Question, toHeldMs } from '../inputs/question.ts';
import type { AnswerContext } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';
import { react } from '../kit/views.ts';
import { Answer, type AnswerStart, type AskedAnswer, type GeneratedAnswer } from './answer.ts';
import { type AnswerChanges, createAnswerChanges } from './answer-changes.ts';
import { type Comparisons, createComparisons } from './comparisons.ts';
import { isQuiet } from './extensions.ts';
import type { Retry } from './failure-message.ts';
import { removeAnswerKeyboard } from './keyboards.ts';
import { createQuestionChanges, type QuestionChanges } from './question-changes.ts';
import { AnswerQueue, type StopFilter } from './queue.ts';
import { answerKind } from './recovery.ts';
import { writeAnswer } from './writing.ts';

/** Answers being written: the bot's work that outlives the handling of an update. */
export interface Answers extends AnswerChanges, Comparisons, Omit<QuestionChanges, 'extend'> {
  /**
   * Stores the question and queues its answer after those of the same topic. A redelivered question is answered once.
   * Questions that arrive before the current answer shows are merged into one.
   */
  ask(context: AnswerContext, question: Question): Promise<'accepted' | 'full' | 'overloaded'>;
  /**
   * Queues the answer to a question of a task, or sends a reminder at once. A question that has an answer is not
   * answered again.
   * @param findQuestion stores the question, or returns the stored one, with the answer if no model has to write it;
   * called if there is room for the answer. Undefined if there is nothing to answer.
   */
  answerTask(
    context: AnswerContext,
    task: Pick<Answer, 'isReminder'>,
    findQuestion: () => Promise<Pick<Answer, 'question' | 'written'> | undefined>,
  ): Promise<'accepted' | 'full' | 'overloaded'>;
  /** Stores a message as context for later questions, without an answer of its own. */
  store(context: AnswerContext, question: Question): Promise<void>;
  /** Stores a question beside the conversation, which continues from it once it is answered. */
  storeDetached(context: AnswerContext, question: Question): Promise<StoredMessage>;
  /**
   * Resumes an answer after a crash, in its existing messages. Without `written`, a model continues it.
   * @param stored the answer as stored; unfinished text becomes the prefix.
   */
  resume(
    context: AnswerContext,
    question: StoredMessage,
    answer: Pick<UnfinishedAnswer, 'id' | 'questionMessageId' | 'shownIn'> & { readonly stored: StoredMessage },
    written: GeneratedAnswer | undefined,
  ): void;
  isUnderWay(answerId: number): boolean;
  /** Returns whether a failed answer is still the newest message of its conversation and so can be retried. */
  canRetry(retry: Retry): Promise<boolean>;
  /** Queues a new answer to the question of a failed one, as a sibling of it. */
  retry(context: AnswerContext, retry: Retry): Promise<'accepted' | 'full' | 'overloaded' | 'stale'>;
  /** Drops the user's queued messages. @returns their number. */
  dropWaiting(chatTopic: ChatTopic, userId: number): Promise<number>;
  /** Stops the user's running answers in the scope and drops the queued messages. Runs of tasks that wait remain. */
  stop(scope: JobScope, userId: number, filter?: StopFilter): Promise<StoppedCounts>;
  /** Marks a dropped answer as stopped and restores the one that it was to replace. */
  drop(answer: Answer): Promise<void>;
}

/** Reaction to a question that waits for another answer. */
const WAITING = '👀';

export function createAnswers(services: BotServices): Answers {
  const { conversations } = services;
  const queue = new AnswerQueue<Answer>({
    services,
    kind: answerKind,
    async write(answer, { stopSignal: stop, deliverySignal, takeoverSignal }) {
      unmark(answer);
      const outcome = await writeAnswer(services, {
        answer,
        companions: queue.companionsOf(answer),
        stop,
        deliverySignal,
        takeoverSignal,
      });
      answer.place();
      if (outcome === 'unfinished') return outcome;
      if (!takeoverSignal.aborted) for (const { onSettled } of services.listAnswerExtensions()) onSettled?.(answer);
      return undefined;
    },
  });

  const submit = (asked: AskedAnswer, start: AnswerStart) => {
    queue.submit(new Answer(asked, start, services.clock.now()));
  };

  /** Removes the reaction for "waiting" as soon as the rate limit allows. */
  const unmark = ({ chatTopic: { chatId }, markedIds }: Answer) => {
    const api = services.client.withPriority('typing');
    for (const messageId of markedIds)
      services.keyboards.make(`unmark:${chatId}:${messageId}`, () => api.setMessageReaction(chatId, messageId, []));
    markedIds.clear();
  };

  const begin = async (context: AnswerContext, question: StoredMessage, start: AnswerStart) => {
    const { conversationId, id: parentId } = question;
    const { replacedAnswerId: replacesId, prefixExtras: extras, written } = start;
    const content = written
      ? { content: written.text, finishReason: written.finishReason, extras: written.extras }
      : { content: '', model: context.model.id, ...(extras && { extras }) };
    const { id } = await conversations.addMessage({
      ...{ conversationId, parentId, role: 'assistant' },
      ...content,
      ...(replacesId !== undefined && { replacesId }),
      isAside: isReminder(question),
    });
    submit({ id, question, context }, start);
  };

  const findStored = (context: AnswerContext, { telegramMessageId }: Question) =>
    conversations.findByDelivery(context.chatTopic.chatId, telegramMessageId);

  /** Only the last answer of a conversation can be changed, so the buttons below the previous one are removed. */
  const takeButtons = (chatTopic: ChatTopic) => {
    removeAnswerKeyboard(services, chatTopic, (answerId) => queue.isUnderWay(answerId)).catch((error: unknown) =>
      services.logger.warn({ err: error }, 'the buttons of an answer could not be removed'),
    );
  };

  const storeQuestion = async (
    { chatTopic, user }: AnswerContext,
    { parent: requestedParent, ...question }: Question,
    isAside = false,
  ) => {
    const conversationId =
      requestedParent?.conversationId ?? (await conversations.currentConversation(chatTopic, user.id)).id;
    const last = await conversations.findLatestMessage(conversationId);
    const parent = requestedParent ?? last;
    if (!isAside) takeButtons(chatTopic);
    return conversations.addMessage({
      conversationId,
      isAside,
      parentId: parent?.id,
      role: 'user',
      content: question.content,
      attachments: question.attachments,
      userId: user.id,
      extras: {
        ...(question.parts && { parts: question.parts }),
        ...(question.repliedReminderId !== undefined && { repliedReminderId: question.repliedReminderId }),
      },
      shownIn: { chatId: chatTopic.chatId, telegramMessageId: question.telegramMessageId },
      alsoShownIn: (question.parts ?? []).slice(1).map(({ telegramMessageId }) => telegramMessageId),
    });
  };

  const drop = async (answer: Answer) => {
    const { id, prefix: content, replacedAnswerId } = answer;
    unmark(answer);
    answer.finish('stopped');
    await conversations.finishMessage(id, { content, finishReason: 'stopped' });
    await conversations.settleMessage(id);
    if (replacedAnswerId !== undefined) await conversations.returnToReplaced(replacedAnswerId, id);
  };

  const questionChanges = createQuestionChanges(services, { queue, begin, takeButtons });

  const canRetry = async (retry: Retry) => {
    const failed = await conversations.findMessage(retry.failedId);
    const latest = failed && (await conversations.findLatestMessage(failed.conversationId));
    return latest?.id === retry.failedId && latest.parentId === retry.questionId;
  };

  return {
    ...createAnswerChanges(services, { queue, begin, submit }),
    ...createComparisons(services, { queue, submit, takeButtons }),
    revise: questionChanges.revise,
    answerAnew: questionChanges.answerAnew,
    canRetry,
    async ask(context, question) {
      const stored = await findStored(context, question);
      // The update is redelivered: the process died between starting the answer and confirming the update.
      if (stored && (await conversations.hasReply(stored.id))) return 'accepted';
      if (!stored && (await questionChanges.extend(context, question))) return 'accepted';
      const capacity = queue.checkCapacity(context.chatTopic);
      if (capacity === 'full' || capacity === 'overloaded') return capacity;
      const { telegramMessageId: questionMessageId } = question;
      const isWaiting = capacity === 'waits';
      if (isWaiting) void react(services, { chatId: context.chatTopic.chatId, messageId: questionMessageId }, WAITING);
      // With several open questions, the answer replies to its own.
      const replyTo = context.isGroup || isWaiting ? questionMessageId : undefined;
      const markedIds = isWaiting ? [questionMessageId] : [];
      const first = { origin: 'question', replyTo, questionMessageId, markedIds, heldMs: toHeldMs(question) } as const;
      await begin(context, stored ?? (await storeQuestion(context, question)), first);
      return 'accepted';
    },
    async answerTask(context, { isReminder }, findQuestion) {
      const capacity = queue.checkCapacity(context.chatTopic, isReminder);
      if (capacity === 'full' || capacity === 'overloaded') return capacity;
      const { question, written } = (await findQuestion()) ?? {};
      if (!question || (await conversations.hasReply(question.id))) return 'accepted';
      if (!isReminder && !isQuiet(services, question)) takeButtons(context.chatTopic);
      await begin(context, question, { origin: 'task', written });
      return 'accepted';
    },
    async store(context, question) {
      if (!(await findStored(context, question))) await storeQuestion(context, question);
    },
    storeDetached: async (context, question) =>
      (await findStored(context, question)) ?? (await storeQuestion(context, question, true)),
    resume(context, question, { id, questionMessageId, shownIn, stored }, written) {
      const start = {
        origin: 'recovery',
        replyTo: questionMessageId,
        takenOverIds: shownIn,
        replacedAnswerId: stored.replacesId,
        prefix: written ? '' : stored.content,
        prefixExtras: stored.extras,
        written,
        // Reactions that an earlier process has set are not recorded; only the question's message is known.
        markedIds: questionMessageId === undefined ? [] : [questionMessageId],
      } as const;
      submit({ id, question, context }, start);
    },
    isUnderWay: (answerId) => queue.isUnderWay(answerId),
    async retry(context, retry) {
      const question = await conversations.findMessage(retry.questionId);
      if (!question || !(await canRetry(retry))) return 'stale';
      const conversation = await conversations.findConversation(question.conversationId);
      const isHere =
        conversation && (await services.groups.isSameChat(conversation.chatTopic.chatId, context.chatTopic.chatId));
      if (!isHere) return 'stale';
      const capacity = queue.checkCapacity(context.chatTopic);
      if (capacity === 'full' || capacity === 'overloaded') return capacity;
      await begin(context, question, { origin: 'retry', replyTo: retry.replyTo, removedIds: retry.shownIds });
      return 'accepted';
    },
    stop: (scope, userId, filter) => queue.stop(scope, userId, filter),
    dropWaiting: (chatTopic, userId) => queue.dropWaiting(chatTopic, userId),
    drop,
  };
}
