import type { InlineKeyboardMarkup } from 'grammy/types';
import type { StoredMessage } from '../../core/conversations/index.ts';
import { ChatLostError } from '../../core/inbox/index.ts';
import { listRemedies } from '../kit/failure.ts';
import { storeKeyboard } from '../kit/keyboards.ts';
import type { BotServices } from '../kit/services.ts';
import type { Texts } from '../texts/locales.ts';
import type { Answer, GeneratedAnswer } from './answer.ts';
import { findFirst } from './extensions.ts';
import { describeFailed } from './failure-message.ts';
import { buildAnswerKeyboard, type FinishedAnswer, hasButtons } from './keyboards.ts';
import { toAnsweredQuestion } from './send-about-answer.ts';
import type { AnswerDisplay, FinalAnswer } from './showing.ts';
import type { AnswerRun } from './writing.ts';

/** Stores an answer and returns what the chat has to show. */
export async function storeAnswer(
  services: BotServices,
  { answer, companions }: AnswerRun,
  { text, finishReason, failure, extras }: GeneratedAnswer,
  display: AnswerDisplay,
): Promise<FinalAnswer> {
  const { conversations } = services;
  const { id, prefix, question, context } = answer;
  const isUnchanged = prefix !== '' && text === prefix;
  // Nothing was added, so the answer can be continued again.
  const storedReason = isUnchanged && failure ? 'length' : finishReason;
  // The answer is shown even if it can't be stored.
  await recordState(services, answer, () =>
    conversations.finishMessage(id, { content: text, finishReason: storedReason, extras }),
  );
  const old = text === '' ? await restoreReplaced(services, answer, display) : undefined;
  const { conversationId } = question;
  const shown = old ?? { id, conversationId, content: text, finishReason: storedReason, extras };
  const isOld = old !== undefined || isUnchanged;
  const extensions = services.listAnswerExtensions();
  const shownFailure = !isOld && extensions.some((one) => one.showsFailure?.(shown)) ? failure : undefined;
  const { chatId } = display.chatTopic;
  for (const { afterStored } of extensions)
    await afterStored?.({ answer, listBatch: companions.listBatch, shown, chatId });
  const failed = { ...context, userId: answer.userId };
  const failureText = shownFailure && (await describeFailed(services, failed, shownFailure));
  const finished = {
    answer: shown,
    userId: question.userId ?? answer.userId,
    chatId,
    hasFailed: failure !== undefined && !isOld,
    canRetry: shownFailure === undefined || listRemedies(shownFailure).retry,
  };
  return {
    text: shown.content,
    extras: shown.extras,
    keyboard: await storeButtons(services, answer, finished),
    isOld,
    status: toStatus(services, context.texts, shown, failureText),
    showsFailure: shownFailure !== undefined,
  };
}

/** Returns the lines below an answer. */
function toStatus(
  { listAnswerExtensions }: BotServices,
  texts: Texts,
  shown: Pick<StoredMessage, 'finishReason' | 'extras'>,
  failure: string | undefined,
): string | undefined {
  const stopped = shown.finishReason === 'stopped' ? texts.answers.stopped : undefined;
  const ofFeatures = listAnswerExtensions().map(({ status }) => status?.(shown, texts));
  return [failure, stopped, ...ofFeatures].filter((line) => line !== undefined).join('\n') || undefined;
}

/** Returns the buttons; undefined if the conversation has newer messages. */
async function storeButtons(
  services: BotServices,
  answer: Answer,
  finished: FinishedAnswer,
): Promise<InlineKeyboardMarkup | undefined> {
  try {
    const { question, context, chatTopic } = answer;
    const answered = toAnsweredQuestion(answer, chatTopic);
    const ofFeature = findFirst(services.listAnswerExtensions(), ({ answerButtons }) => answerButtons?.(answered));
    if (ofFeature) return await storeKeyboard(services, finished, [ofFeature]);
    if (!(await hasButtons(services, { ...finished.answer, parentId: question.id }))) return undefined;
    return await buildAnswerKeyboard(services, context.texts, finished);
  } catch (error) {
    services.logger.error({ err: error, answerId: finished.answer.id }, 'the buttons of an answer could not be added');
    return undefined;
  }
}

/** Restores the replaced answer after a variant without text. */
async function restoreReplaced(
  { conversations }: BotServices,
  { id, replacedAnswerId }: Answer,
  display: AnswerDisplay,
): Promise<StoredMessage | undefined> {
  const old = replacedAnswerId === undefined ? undefined : await conversations.findMessage(replacedAnswerId);
  if (!old || old.content === '') return undefined;
  await conversations.restoreReplaced({ answerId: old.id, chatId: display.chatTopic.chatId }, id);
  display.answerId = old.id;
  return old;
}

/**
 * Writes the state of an answer and logs failures instead of throwing: showing the answer is more important.
 * @throws ChatLostError
 */
export async function recordState(services: BotServices, { id }: Answer, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (error instanceof ChatLostError) throw error;
    services.logger.error({ err: error, answerId: id }, 'the state of an answer could not be saved');
  }
}
