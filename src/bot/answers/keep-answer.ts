import type { InlineKeyboardMarkup } from 'grammy/types';
import type { ChatTopic, MessageExtras, StoredMessage } from '../../core/conversations/index.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import type { AnswerJob } from './answer-job.ts';
import { buildAnswerKeyboard, type FinishedAnswer } from './answer-keyboard.ts';
import { findReplacedAnswer } from './answer-start.ts';
import type { GeneratedAnswer } from './generate-answer.ts';

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
  /** The user has stopped it. */
  readonly isStopped: boolean;
}

/** Stores an answer and returns what the chat has to show. */
export async function keepAnswer(
  deps: BotDeps,
  job: AnswerJob,
  { text, finishReason, failure, extras }: GeneratedAnswer,
  display: AnswerDisplay,
): Promise<FinalAnswer> {
  const { conversations } = deps;
  const { answerId, prefix } = job;
  const isUnchanged = prefix !== '' && text === prefix;
  // Nothing was added, so the answer can be continued again.
  const keptReason = isUnchanged && failure ? 'length' : finishReason;
  // The answer is shown even if it can't be stored.
  await recordState(deps, job, () =>
    conversations.finishMessage(answerId, {
      content: text,
      finishReason: keptReason,
      extras,
    }),
  );
  const old = text === '' ? await restoreReplaced(deps, job, display) : undefined;
  const answer = old ?? { id: answerId, finishReason: keptReason, extras };
  const hasFailed = failure !== undefined && !old && !isUnchanged;
  const userId = job.question.userId ?? job.userId;
  const keyboard = await storeButtons(deps, job, { answer, userId, chatId: display.chatTopic.chatId, hasFailed });
  const isOld = old !== undefined || isUnchanged;
  const isStopped = answer.finishReason === 'stopped';
  return { text: old?.content ?? text, extras: old?.extras ?? extras, keyboard, isOld, isStopped };
}

/** Returns the buttons; undefined if the conversation has newer messages. */
async function storeButtons(
  deps: BotDeps,
  { question: { conversationId }, texts }: AnswerJob,
  finished: FinishedAnswer,
): Promise<InlineKeyboardMarkup | undefined> {
  try {
    const last = await deps.conversations.findLatestMessage(conversationId);
    return last?.id === finished.answer.id ? await buildAnswerKeyboard(deps, texts, finished) : undefined;
  } catch (error) {
    deps.logger.error({ err: error, answerId: finished.answer.id }, 'the buttons of an answer could not be added');
    return undefined;
  }
}

/** Restores the replaced answer after a variant without text. */
async function restoreReplaced(
  { conversations }: BotDeps,
  { answerId, start }: AnswerJob,
  display: AnswerDisplay,
): Promise<StoredMessage | undefined> {
  const replacedAnswerId = findReplacedAnswer(start);
  const old = replacedAnswerId === undefined ? undefined : await conversations.findMessage(replacedAnswerId);
  if (!old || old.content === '') return undefined;
  await conversations.chooseVariant({ answerId: old.id, chatId: display.chatTopic.chatId }, answerId);
  display.answerId = old.id;
  return old;
}

/** Writes the state of an answer and logs failures instead of throwing: showing the answer is more important. */
export async function recordState(deps: BotDeps, job: AnswerJob, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    deps.logger.error({ err: error, answerId: job.answerId }, 'the state of an answer could not be saved');
  }
}
