import type { InlineKeyboardMarkup } from 'grammy/types';
import type { ChatTopic, MessageExtras, StoredMessage } from '../../core/conversations/index.ts';
import { listRemedies } from '../failures/failure.ts';
import { storeKeyboard } from '../kit/keyboards.ts';
import type { BotServices } from '../kit/services.ts';
import type { Texts } from '../texts/locales.ts';
import type { AnswerJob } from './answer-job.ts';
import { buildAnswerKeyboard, type FinishedAnswer } from './answer-keyboard.ts';
import type { Companions } from './answer-queue.ts';
import type { GeneratedAnswer } from './generated-answer.ts';
import { describeFailed } from './show-failure.ts';
import { refreshCompared } from './shown-keyboards.ts';
import { toSnoozeButtons } from './task-answer.ts';

/** Messages that show an answer so far. */
export interface AnswerDisplay {
  /** Answer that owns the pages. */
  answerId: number;
  readonly shownIds: Set<number>;
  chatTopic: ChatTopic;
  readonly isUndeliverable: AbortController;
}

/** Final state of an answer in the chat. */
export interface FinalAnswer {
  readonly text: string;
  readonly extras: MessageExtras;
  readonly keyboard: InlineKeyboardMarkup | undefined;
  /** The new answer is empty, so the previous one is shown. */
  readonly isOld: boolean;
  /** Lines below the text. Default none. */
  readonly status: string | undefined;
  /** The failure is one of them. */
  readonly showsFailure: boolean;
}

/** Stores an answer and returns what the chat has to show. */
export async function keepAnswer(
  services: BotServices,
  job: AnswerJob,
  { text, finishReason, failure, extras }: GeneratedAnswer,
  display: AnswerDisplay,
  listBatch: Companions<AnswerJob>['listBatch'],
): Promise<FinalAnswer> {
  const { conversations } = services;
  const { answerId, prefix } = job;
  const isUnchanged = prefix !== '' && text === prefix;
  // Nothing was added, so the answer can be continued again.
  const keptReason = isUnchanged && failure ? 'length' : finishReason;
  // The answer is shown even if it can't be stored.
  await recordState(services, job, () =>
    conversations.finishMessage(answerId, {
      content: text,
      finishReason: keptReason,
      extras,
    }),
  );
  const old = text === '' ? await restoreReplaced(services, job, display) : undefined;
  const { conversationId } = job.question;
  const answer = old ?? { id: answerId, conversationId, content: text, finishReason: keptReason, extras };
  const isOld = old !== undefined || isUnchanged;
  const shownFailure = answer.extras.comparison && !isOld ? failure : undefined;
  if (answer.extras.comparison) await replaceEmptyHead(services, job, display, listBatch);
  const finished = {
    ...{ answer, userId: job.question.userId ?? job.userId, chatId: display.chatTopic.chatId },
    hasFailed: failure !== undefined && !isOld,
    canRetry: shownFailure === undefined || listRemedies(shownFailure).retry,
  };
  return {
    text: answer.content,
    extras: answer.extras,
    keyboard: await storeButtons(services, job, finished),
    isOld,
    status: toStatus(job.texts, answer, shownFailure && (await describeFailed(services, job, shownFailure))),
    showsFailure: shownFailure !== undefined,
  };
}

/** Returns the lines below an answer. */
function toStatus(
  { answers }: Texts,
  { finishReason, extras }: Pick<StoredMessage, 'finishReason' | 'extras'>,
  failure: string | undefined,
): string | undefined {
  const { usage } = extras.comparison ?? {};
  const lines = [
    failure,
    finishReason === 'stopped' ? answers.stopped : undefined,
    usage && answers.usage(usage.durationMs, usage.promptTokens, usage.completionTokens, usage.costUsd),
  ];
  return lines.filter((line) => line !== undefined).join('\n') || undefined;
}

/** Continues the conversation from a compared answer with text, if its head ended without one. */
async function replaceEmptyHead(
  services: BotServices,
  { question, texts, userId }: AnswerJob,
  { chatTopic: { chatId } }: AnswerDisplay,
  listBatch: Companions<AnswerJob>['listBatch'],
): Promise<void> {
  try {
    if ((await services.conversations.replaceEmptyHead(question.id)) === undefined) return;
    const isUnderWay = (answerId: number) =>
      listBatch().some((job) => job.answerId === answerId && job.progress.state !== 'shown');
    await refreshCompared(services, texts, { question, chatId, userId }, isUnderWay);
  } catch (error) {
    services.logger.error({ err: error, questionId: question.id }, 'a conversation continues from an empty answer');
  }
}

/** Returns the buttons; undefined if the conversation has newer messages. */
async function storeButtons(
  services: BotServices,
  {
    question: {
      id,
      conversationId,
      extras: { taskRun },
    },
    texts,
  }: AnswerJob,
  finished: FinishedAnswer,
): Promise<InlineKeyboardMarkup | undefined> {
  try {
    if (taskRun?.kind === 'reminder') return await storeKeyboard(services, finished, [toSnoozeButtons(texts, taskRun)]);
    const last = await services.conversations.findLatestMessage(conversationId);
    const isLast = last?.id === finished.answer.id || (finished.answer.extras.comparison && last?.parentId === id);
    return isLast ? await buildAnswerKeyboard(services, texts, finished) : undefined;
  } catch (error) {
    services.logger.error({ err: error, answerId: finished.answer.id }, 'the buttons of an answer could not be added');
    return undefined;
  }
}

/** Restores the replaced answer after a variant without text. */
async function restoreReplaced(
  { conversations }: BotServices,
  { answerId, start: { replacedAnswerId } }: AnswerJob,
  display: AnswerDisplay,
): Promise<StoredMessage | undefined> {
  const old = replacedAnswerId === undefined ? undefined : await conversations.findMessage(replacedAnswerId);
  if (!old || old.content === '') return undefined;
  await conversations.restoreReplaced({ answerId: old.id, chatId: display.chatTopic.chatId }, answerId);
  display.answerId = old.id;
  return old;
}

/** Writes the state of an answer and logs failures instead of throwing: showing the answer is more important. */
export async function recordState(services: BotServices, job: AnswerJob, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    services.logger.error({ err: error, answerId: job.answerId }, 'the state of an answer could not be saved');
  }
}
