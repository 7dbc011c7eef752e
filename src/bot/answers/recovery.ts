import type { StoredMessage, UnfinishedAnswer } from '../../core/conversations/index.ts';
import { sleep } from '../../lib/clock.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import type { LostSend, LostSendFinding } from '../../telegram/lost-sends/find-lost-send.ts';
import { defineTexts } from '../../texts/define-texts.ts';
import { pluralOf } from '../../texts/plural.ts';
import { asInGroup, findGroup, findTexts } from '../choices/groups.ts';
import { findAnsweringModel, NO_MODEL } from '../choices/model-choice.ts';
import type { AnswerContext, BotJobKind } from '../kit/feature.ts';
import { findLostPage } from '../kit/send-whenever.ts';
import type { BotServices } from '../kit/services.ts';
import { findLocale, locales } from '../texts/locales.ts';
import { type Answer, fromRow, type GeneratedAnswer } from './answer.ts';
import { showFailure } from './failure-message.ts';
import type { AnswerRequest } from './queue.ts';

const texts = defineTexts({
  en: { stopped: (count: number) => pluralOf('en', count, { one: 'answer', other: 'answers' }) },
  ru: { stopped: (count) => pluralOf('ru', count, { one: 'ответ', few: 'ответа', other: 'ответов' }) },
});

/** Answers being written: one at a time in a topic, or those of several models to one question. */
export const answerKind: BotJobKind<AnswerRequest<Answer>> = {
  name: 'answer',
  // The queue of a topic limits them before they are recorded; recorded ones always get in.
  maxJobs: Number.POSITIVE_INFINITY,
  maxUserJobs: Number.POSITIVE_INFINITY,
  recordsSends: true,
  recover: resumeAnswers,
  drop: ({ answers }, { answer }) => answers.drop(answer),
  describeStopped: (count, locale) => texts[locale].stopped(count),
};

/**
 * Resumes the answers of a chat that a crash has interrupted. A completely generated one is shown to its end; others
 * are continued in their messages, or declared interrupted with a retry button if they are too old or were resumed too
 * often. Never throws; ends early when the signal aborts.
 */
async function resumeAnswers(services: BotServices, chatId: number, signal: AbortSignal): Promise<void> {
  try {
    const unfinished = (await services.conversations.listUnfinished(chatId)).filter(
      ({ id }) => !services.answers.isUnderWay(id),
    );
    if (unfinished.length > 0) await recordNewestId(services, chatId);
    const traced: [UnfinishedAnswer, readonly number[] | undefined][] = [];
    // All searches come first: they can't tell a lost page from one that a resumed answer sends meanwhile.
    for (const answer of unfinished)
      await quietly(
        services,
        answer,
        async () => void traced.push([answer, await findPlanned(services, answer, signal)]),
      );
    for (const [answer, shownIn] of traced)
      if (!signal.aborted)
        await quietly(services, answer, () => continueUnfinished(services, { answer, shownIn }, signal));
  } catch (error) {
    services.logger.warn({ err: error, chatId }, 'interrupted answers could not be resumed');
  }
}

/** Logs an error instead of throwing it. */
async function quietly({ logger }: BotServices, { id: answerId }: UnfinishedAnswer, work: () => Promise<void>) {
  await work().catch((error: unknown) => {
    logger.warn({ err: error, answerId }, 'an interrupted answer could not be resumed');
  });
}

/**
 * Raises the client's greatest message id to the stored one, as a process that has just started knows of no messages.
 */
async function recordNewestId({ client, conversations }: BotServices, chatId: number): Promise<void> {
  const newest = await conversations.findNewestTelegramId(chatId);
  if (newest !== undefined) client.messageIds.record(chatId, newest);
}

/** @param found `shownIn`: the messages that show the answer; undefined if that can't be determined. */
async function continueUnfinished(
  services: BotServices,
  { answer: unfinished, shownIn }: { answer: UnfinishedAnswer; shownIn: readonly number[] | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { conversations } = services;
  const question = await conversations.findMessage(unfinished.questionId);
  const stored = await conversations.findMessage(unfinished.id);
  if (!question || !stored) return;
  const answer = { ...unfinished, shownIn: shownIn ?? unfinished.shownIn };
  const context = shownIn && (await findAnswerContext(services, answer));
  if (signal.aborted) return;
  const { written } = fromRow(stored, mayBeginAnew(services, answer));
  if (context && (!written || (await canBeShown(services, stored, written))))
    services.answers.resume(context, question, { ...answer, stored }, written);
  else await declareInterrupted(services, answer, question, signal);
}

/** Returns whether there is something to show: a text, a failure that a tool has caused, or the answer that it replaces. */
async function canBeShown(services: BotServices, stored: StoredMessage, written: GeneratedAnswer): Promise<boolean> {
  const isLost = stored.finishReason === undefined && written.text === '' && written.failure?.kind === 'interrupted';
  return !isLost || stored.extras.comparison !== undefined || (await isReplacing(services, stored));
}

/**
 * Searches for pages whose sends were planned but not confirmed.
 * @returns the messages that show the answer; undefined if it can't be determined, in which case nothing may be sent.
 */
async function findPlanned(
  services: BotServices,
  { id, chatTopic: { chatId }, shownIn, planned }: UnfinishedAnswer,
  signal: AbortSignal,
): Promise<readonly number[] | undefined> {
  const found = [...shownIn];
  for (const { page, afterTelegramId } of planned) {
    const finding = await findWhenever(services, { chatId, afterId: afterTelegramId }, signal);
    if (finding === 'unknown') return undefined;
    if (finding === 'absent') continue;
    await services.conversations.recordDelivery(id, { chatId, telegramMessageId: finding, page });
    found.push(finding);
  }
  await services.conversations.forgetPlannedSends(id);
  return found;
}

/** Searches for a lost page; with the interval below, half an hour in all. */
const MAX_SEARCHES = 180;
const SEARCH_AGAIN_MS = 10_000;

/** Retries while Telegram is not reachable. @throws the signal's reason. */
async function findWhenever(
  services: BotServices,
  lost: LostSend,
  signal: AbortSignal,
): Promise<Exclude<LostSendFinding, 'later'>> {
  for (let tries = 1; tries <= MAX_SEARCHES; tries++) {
    const finding = await findLostPage(services, lost, signal);
    if (finding !== 'later') return finding;
    await sleep(services.clock, SEARCH_AGAIN_MS, signal);
  }
  return 'unknown';
}

/** Limit for answers that crash the process each time. */
const MAX_RESUMPTIONS = 3;
/** Maximum age of a question whose answer is generated again after a restart. */
const RESUME_WITHIN_MS = 3_600_000;

function mayBeginAnew({ clock }: BotServices, { createdAt, resumptions }: UnfinishedAnswer): boolean {
  return clock.now() - createdAt.getTime() <= RESUME_WITHIN_MS && resumptions < MAX_RESUMPTIONS;
}

/** Returns whether the answer replaces another one, which is restored if this one stays empty. */
async function isReplacing({ conversations }: BotServices, { replacesId }: StoredMessage): Promise<boolean> {
  const replaced = replacesId === undefined ? undefined : await conversations.findMessage(replacesId);
  return replaced !== undefined && replaced.content !== '';
}

/** Rebuilds the request of the user; undefined if the user or every model is gone. A complete answer needs no model. */
async function findAnswerContext(
  services: BotServices,
  { userId, chatTopic, id }: UnfinishedAnswer,
): Promise<AnswerContext | undefined> {
  const account = await services.accounts.findUser(userId);
  const group = await findGroup(services, chatTopic);
  const user = account && asInGroup(account, group);
  const answer = await services.conversations.findMessage(id);
  const { comparison } = answer?.extras ?? {};
  const modelId = answer?.model;
  const listedModel = modelId === undefined ? undefined : services.catalogue.find(modelId);
  const answering = user && findAnsweringModel(services.catalogue, user)?.entry;
  // A compared answer is not written by another model than the one above it: the failure says that it is gone.
  const compared = answering && comparison ? { ...answering, id: comparison.model } : answering;
  const fallback = compared ?? (answer?.finishReason === undefined ? undefined : NO_MODEL);
  const model = listedModel?.type === 'chat' ? listedModel : fallback;
  if (!user || !model) return undefined;
  const texts = locales[findLocale(user.settings.language)];
  // Ids of groups are negative.
  return { user, texts, chatTopic, isGroup: chatTopic.chatId < 0, group, typingTopicId: chatTopic.topicId, model };
}

async function declareInterrupted(
  services: BotServices,
  answer: UnfinishedAnswer,
  question: StoredMessage,
  signal: AbortSignal,
): Promise<void> {
  const { conversations } = services;
  const stored = await conversations.findMessage(answer.id);
  if (!stored) return;
  const { content, finishReason = 'interrupted' } = stored;
  await conversations.finishMessage(stored.id, { content, finishReason });
  await removeStopButton(services, answer, signal);
  const failed = {
    chatTopic: answer.chatTopic,
    question,
    answerId: answer.id,
    replyTo: answer.questionMessageId,
    userId: answer.userId,
    texts: await findTexts(services, answer),
    model: { id: stored.model ?? '' },
  };
  const isTold = await showFailure(services, failed, { kind: 'interrupted' }, answer.shownIn, signal);
  if (isTold) await conversations.settleMessage(stored.id);
}

async function removeStopButton(services: BotServices, answer: UnfinishedAnswer, signal: AbortSignal): Promise<void> {
  const last = answer.shownIn.at(-1);
  if (last === undefined) return;
  try {
    await services.client.api.editMessageReplyMarkup(answer.chatTopic.chatId, last, {}, toGrammySignal(signal));
  } catch (error) {
    services.logger.debug(
      { err: error, answerId: answer.id },
      'the Stop button of an interrupted answer could not be removed',
    );
  }
}
