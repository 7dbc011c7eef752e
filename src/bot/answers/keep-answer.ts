import type { InlineKeyboardMarkup } from 'grammy/types';
import type { MessageExtras, Place, StoredMessage } from '../../core/conversations/index.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import type { AnswerJob } from './answer-job.ts';
import { buildAnswerKeyboard, type FinishedAnswer } from './answer-keyboard.ts';
import { findReplacedAnswer } from './answer-start.ts';
import type { GeneratedAnswer } from './generate-answer.ts';

/** Where an answer shows, as far as that is known by now. */
export interface Showing {
  /** Whose pages they are. */
  answerId: number;
  readonly shownIds: Set<number>;
  place: Place;
  readonly isUndeliverable: AbortController;
}

/** What the chat is to show in the end. */
export interface FinalAnswer {
  readonly text: string;
  readonly extras: MessageExtras;
  readonly keyboard: InlineKeyboardMarkup | undefined;
  /** Nothing came of the new one: it is what stood there before. */
  readonly isOld: boolean;
  /** Its user wanted no more of it. */
  readonly isStopped: boolean;
}

/** Writes an answer down, and says what the chat is to show of it. */
export async function keepAnswer(
  deps: BotDeps,
  job: AnswerJob,
  { text, finishReason, failure, extras }: GeneratedAnswer,
  showing: Showing,
): Promise<FinalAnswer> {
  const { conversations } = deps;
  const { answerId, prefix } = job;
  const isUnchanged = prefix !== '' && text === prefix;
  // Nothing was added, so the answer is as incomplete as before and can be continued again.
  const keptReason = isUnchanged && failure ? 'length' : finishReason;
  // An answer that can't be kept is shown nevertheless.
  await noteState(deps, job, () =>
    conversations.finishMessage(answerId, {
      content: text,
      finishReason: keptReason,
      extras,
    }),
  );
  const old = text === '' ? await restoreReplaced(deps, job, showing) : undefined;
  const answer = old ?? { id: answerId, finishReason: keptReason };
  const hasFailed = failure !== undefined && !old && !isUnchanged;
  const userId = job.question.userId ?? job.userId;
  const keyboard = await offerButtons(deps, job, { answer, userId, chatId: showing.place.chatId, hasFailed });
  const isOld = old !== undefined || isUnchanged;
  const isStopped = answer.finishReason === 'stopped';
  return { text: old?.content ?? text, extras: old?.extras ?? extras, keyboard, isOld, isStopped };
}

/** None where the conversation has gone on already. */
async function offerButtons(
  deps: BotDeps,
  { question: { threadId }, texts }: AnswerJob,
  finished: FinishedAnswer,
): Promise<InlineKeyboardMarkup | undefined> {
  try {
    const last = await deps.conversations.findLatestMessage(threadId);
    return last?.id === finished.answer.id ? await buildAnswerKeyboard(deps, texts, finished) : undefined;
  } catch (error) {
    deps.logger.error({ err: error, answerId: finished.answer.id }, 'an answer gets no buttons');
    return undefined;
  }
}

/** Nothing came of a variant: the one whose place it was to take stays. */
async function restoreReplaced(
  { conversations }: BotDeps,
  { answerId, start }: AnswerJob,
  showing: Showing,
): Promise<StoredMessage | undefined> {
  const replacedAnswerId = findReplacedAnswer(start);
  const old = replacedAnswerId === undefined ? undefined : await conversations.findMessage(replacedAnswerId);
  if (!old || old.content === '') return undefined;
  await conversations.chooseVariant({ answerId: old.id, chatId: showing.place.chatId }, answerId);
  showing.answerId = old.id;
  return old;
}

/** Writes the state of an answer down where that is possible: showing it matters more. */
export async function noteState(deps: BotDeps, job: AnswerJob, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    deps.logger.error({ err: error, answerId: job.answerId }, 'the state of an answer could not be noted');
  }
}
