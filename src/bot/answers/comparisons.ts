import type { ChatTopic, MessageExtras, StoredMessage } from '../../core/conversations/index.ts';
import type { ModelEntry } from '../../core/models/index.ts';
import type { AnswerContext, AnswerExtension, ShownButtons, StoredAnswer } from '../kit/feature.ts';
import type { ActionButton } from '../kit/keyboards.ts';
import type { BotServices } from '../kit/services.ts';
import type { Texts } from '../texts/locales.ts';
import type { Answer, AnswerStart, AskedAnswer } from './answer.ts';
import {
  type AnswerButtons,
  buildAnswerKeyboard,
  type FinishedAnswer,
  hasText,
  showKeyboard,
  type UsualButtons,
} from './keyboards.ts';
import type { AnswerQueue } from './queue.ts';
import { findReplyTarget } from './send-about-answer.ts';
/** Answers of several models to one question, written at the same time, each in messages of its own. */
export type Comparisons = ReturnType<typeof createComparisons>;

type Comparison = NonNullable<MessageExtras['comparison']>;

interface ComparisonWork {
  readonly queue: AnswerQueue<Answer>;
  readonly submit: (asked: AskedAnswer, start: AnswerStart) => void;
  readonly takeButtons: (chatTopic: ChatTopic) => void;
}

/** Returns the extras of a variant of an answer before its generation. */
export function toVariantExtras({ extras: { comparison } }: StoredMessage, model: string): MessageExtras {
  return comparison ? { comparison: { ...withoutUsage(comparison), model } } : {};
}

function withoutUsage({ usage: _, ...comparison }: Comparison): Comparison {
  return comparison;
}

export function createComparisons({ conversations }: BotServices, { queue, submit, takeButtons }: ComparisonWork) {
  /** An answer in the state `shown` may lack its record only. */
  const isAnswering = async (conversationId: number, chatTopic: ChatTopic) => {
    const jobs = queue.listJobs(chatTopic);
    if (jobs.some(({ state }) => state !== 'shown')) return true;
    const open = await conversations.listOpenAnswers(conversationId);
    return open.some((id) => jobs.every((job) => job.id !== id));
  };

  const submitCompared = async (
    context: AnswerContext,
    question: StoredMessage,
    { id, extras: { comparison } }: Pick<StoredMessage, 'id' | 'extras'>,
    takenOverIds: readonly number[],
  ) => {
    submit(
      { id, question, context },
      {
        origin: 'comparison',
        ...(await findReplyTarget({ conversations }, context, question)),
        takenOverIds,
        prefixExtras: comparison ? { comparison: withoutUsage(comparison) } : {},
      },
    );
  };

  return {
    /**
     * Queues an answer of each model, once for each callback query. The conversation continues from the first one until
     * the user picks another.
     * @returns `under-way` if an answer is still being written there.
     */
    async compare(
      context: AnswerContext,
      question: StoredMessage,
      models: readonly ModelEntry[],
      pressId: string,
    ): Promise<'accepted' | 'under-way' | 'overloaded'> {
      const { chatTopic } = context;
      const earlier = await conversations.listCompared(question.id);
      if (earlier.some(({ extras }) => extras.comparison?.pressId === pressId)) return 'accepted';
      if (queue.checkCapacity(chatTopic) === 'overloaded') return 'overloaded';
      if (await isAnswering(question.conversationId, chatTopic)) return 'under-way';
      takeButtons(chatTopic);
      const answers = await conversations.addCompared(
        question,
        models.map(({ id }) => id),
        pressId,
      );
      for (const [index, model] of models.entries()) {
        const answer = answers[index];
        if (answer) await submitCompared({ ...context, model }, question, answer, []);
      }
      return 'accepted';
    },
    /** Queues another attempt of a compared answer that failed, in its messages. */
    async retryCompared(context: AnswerContext, answer: StoredMessage, question: StoredMessage): Promise<void> {
      const { chatId } = context.chatTopic;
      const takenOverIds = await conversations.listShownIn({ answerId: answer.id, chatId });
      await conversations.reopenMessage(answer.id);
      await submitCompared(context, question, answer, takenOverIds);
    },
  };
}

/** Creates what sets compared answers apart from others. */
export function createComparedAnswers(services: BotServices): AnswerExtension {
  return {
    status({ extras: { comparison } }, { answers }) {
      const { usage } = comparison ?? {};
      return usage && answers.usage(usage.durationMs, usage.promptTokens, usage.completionTokens, usage.costUsd);
    },
    // Several messages about failures could not be told apart.
    showsFailure: ({ extras }) => extras.comparison !== undefined,
    afterStored: async (stored) => {
      if (stored.shown.extras.comparison) await replaceEmptyHead(services, stored);
    },
    title: ({ comparison }) => comparison?.model,
    arrangeButtons: (finished, usual, texts) => arrangeButtons(services, finished, usual, texts),
    // The conversation continues from another one of them.
    keepsButtons: ({ parentId, extras }, newest) => extras.comparison !== undefined && newest?.parentId === parentId,
    async listShownBeside({ parentId, extras: { comparison } }, chatId) {
      return comparison && parentId !== undefined ? listShownCompared(services, parentId, chatId) : [];
    },
  };
}

/**
 * Arranges the buttons of a compared answer: a mark above those of the one from which the conversation continues, the
 * choice of another one in place of its usual ones, and another attempt below one that has failed.
 */
async function arrangeButtons(
  { conversations }: BotServices,
  { answer, hasFailed, canRetry = true }: FinishedAnswer,
  usual: UsualButtons,
  { buttons }: Texts,
): Promise<AnswerButtons | undefined> {
  const { id: answerId, content, conversationId, extras } = answer;
  if (!extras.comparison) return undefined;
  const retry: ActionButton = { text: buttons.retry, action: { kind: 'retry-compared', answerId } };
  if (hasFailed || content === '') return { row: [...usual.pager, ...(canRetry ? [retry] : [])], rest: [[], []] };
  const toPick = (text: string): ActionButton => ({ text, action: { kind: 'continue-with', answerId } });
  const head = await conversations.findLatestMessage(conversationId);
  if (head?.id !== answerId) return { row: [toPick(buttons.continueWith)], rest: [usual.lookUp, usual.rest[1]] };
  return { ...usual, above: [[toPick(`✓ ${buttons.continuesHere}`)], ...(usual.above ?? [])] };
}

/** Continues the conversation from a compared answer with text, if its head ended without one. */
async function replaceEmptyHead(services: BotServices, { answer, listBatch, chatId }: StoredAnswer): Promise<void> {
  const { question, userId, context } = answer;
  try {
    if ((await services.conversations.replaceEmptyHead(question.id)) === undefined) return;
    const isUnderWay = (answerId: number) => listBatch().some(({ id, state }) => id === answerId && state !== 'shown');
    await refreshCompared(services, context.texts, { question, chatId, userId }, isUnderWay);
  } catch (error) {
    services.logger.error({ err: error, questionId: question.id }, 'a conversation continues from an empty answer');
  }
}

/**
 * Schedules an update of the buttons below the compared answers to a question, because the conversation continues from
 * another one.
 * @param isUnderWay answers that get their buttons later.
 */
export async function refreshCompared(
  services: BotServices,
  texts: Texts,
  { question, chatId, userId }: { readonly question: StoredMessage; readonly chatId: number; readonly userId: number },
  isUnderWay: (answerId: number) => boolean,
): Promise<void> {
  const { conversations, keyboards } = services;
  for (const { answerId, telegramMessageId } of await listShownCompared(services, question.id, chatId)) {
    if (isUnderWay(answerId)) continue;
    keyboards.make(`compared:${answerId}`, async () => {
      const answer = await conversations.findMessage(answerId);
      const head = await conversations.findLatestMessage(question.conversationId);
      if (!answer || head?.parentId !== question.id || !hasText(answer)) return;
      const finished = { answer, userId: question.userId ?? userId, chatId, hasFailed: false };
      await showKeyboard(services, chatId, telegramMessageId, await buildAnswerKeyboard(services, texts, finished));
    });
  }
}

/** Returns the compared answers to a question, and the Telegram message with the last page of each. */
async function listShownCompared(
  { conversations }: BotServices,
  questionId: number,
  chatId: number,
): Promise<readonly ShownButtons[]> {
  const shown = [];
  for (const { id: answerId } of await conversations.listCompared(questionId)) {
    const telegramMessageId = (await conversations.listShownIn({ answerId, chatId })).at(-1);
    if (telegramMessageId !== undefined) shown.push({ answerId, telegramMessageId });
  }
  return shown;
}
