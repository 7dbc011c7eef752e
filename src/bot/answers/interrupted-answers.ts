import type { StoredMessage, UnfinishedAnswer } from '../../core/conversations/index.ts';
import { sleep } from '../../lib/clock.ts';
import type { LostSend, LostSendFinding } from '../../telegram/find-lost-send.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import type { AnswerContext } from '../framework/answer-context.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import { asInGroup, findGroup } from '../groups/as-in-group.ts';
import { findTexts } from '../groups/find-texts.ts';
import { findAnsweringModel, NO_MODEL } from '../models/model-choice.ts';
import { findLostPage } from '../sending/find-lost-page.ts';
import { findLocale, locales } from '../texts/locales.ts';
import { toGenerated } from './answer-changes.ts';
import type { Answers } from './answers.ts';
import type { GeneratedAnswer } from './generated-answer.ts';
import { showFailure } from './show-failure.ts';

/** Limit for answers that crash the process each time. */
const MAX_RESUMPTIONS = 3;
/** Maximum age of a question whose answer is generated again after a restart. */
const RESUME_WITHIN_MS = 3_600_000;
/** Searches for a lost page; with the interval below, half an hour in all. */
const MAX_SEARCHES = 180;
const SEARCH_AGAIN_MS = 10_000;

/**
 * Resumes the answers of a chat that a crash has interrupted. A completely generated one is shown to its end; others
 * are continued in their messages, or declared interrupted with a retry button if they are too old or were resumed too
 * often. Never throws; ends early when the signal aborts.
 */
export async function resumeAnswers(
  deps: BotDeps,
  answers: Answers,
  chatId: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    const unfinished = (await deps.conversations.listUnfinished(chatId)).filter(({ id }) => !answers.isUnderWay(id));
    if (unfinished.length > 0) await recordNewestId(deps, chatId);
    const traced: [UnfinishedAnswer, readonly number[] | undefined][] = [];
    // All searches come first: they can't tell a lost page from one that a resumed answer sends meanwhile.
    for (const answer of unfinished)
      await quietly(deps, answer, async () => void traced.push([answer, await findPlanned(deps, answer, signal)]));
    for (const [answer, shownIn] of traced)
      if (!signal.aborted) await quietly(deps, answer, () => goOn(deps, answers, { answer, shownIn }, signal));
  } catch (error) {
    deps.logger.warn({ err: error, chatId }, 'interrupted answers could not be resumed');
  }
}

/** Logs an error instead of throwing it. */
async function quietly({ logger }: BotDeps, { id: answerId }: UnfinishedAnswer, work: () => Promise<void>) {
  await work().catch((error: unknown) => {
    logger.warn({ err: error, answerId }, 'an interrupted answer could not be resumed');
  });
}

/**
 * Raises the client's greatest message id to the stored one, as a process that has just started knows of no messages.
 */
async function recordNewestId({ client, conversations }: BotDeps, chatId: number): Promise<void> {
  const newest = await conversations.findNewestTelegramId(chatId);
  if (newest !== undefined) client.messageIds.record(chatId, newest);
}

/** @param found `shownIn`: the messages that show the answer; undefined if that can't be determined. */
async function goOn(
  deps: BotDeps,
  answers: Answers,
  { answer: unfinished, shownIn }: { answer: UnfinishedAnswer; shownIn: readonly number[] | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { conversations } = deps;
  const question = await conversations.findMessage(unfinished.questionId);
  const kept = await conversations.findMessage(unfinished.id);
  if (!question || !kept) return;
  const answer = { ...unfinished, shownIn: shownIn ?? unfinished.shownIn };
  const context = shownIn && (await findAnswerContext(deps, answer));
  if (signal.aborted) return;
  const { isComputing, ...extras } = kept.extras;
  if (context && kept.finishReason !== undefined) {
    answers.resume(context, question, { ...answer, kept }, withFailure(toGenerated(kept)));
  } else if (context && isComputing) {
    const failure = { kind: 'toolEndedProcess' } as const;
    const generated = { text: kept.content, finishReason: 'interrupted', failure, extras };
    answers.resume(context, question, { ...answer, kept: { ...kept, extras } }, generated);
  } else if (context && mayBeginAnew(deps, answer)) {
    answers.resume(context, question, { ...answer, kept }, undefined);
  } else if (context && kept.content !== '') {
    // It was being continued: finish reason `length` keeps the ▶️ button.
    answers.resume(context, question, { ...answer, kept }, toGenerated({ ...kept, finishReason: 'length' }));
  } else if (context && (kept.extras.comparison || (await isReplacing(deps, kept)))) {
    const generated = { text: '', finishReason: 'interrupted', failure: { kind: 'interrupted' }, extras } as const;
    answers.resume(context, question, { ...answer, kept }, generated);
  } else {
    await declareInterrupted(deps, answer, question, signal);
  }
}

/**
 * Searches for pages whose sends were planned but not confirmed.
 * @returns the messages that show the answer; undefined if it can't be determined, in which case nothing may be sent.
 */
async function findPlanned(
  deps: BotDeps,
  { id, chatTopic: { chatId }, shownIn, planned }: UnfinishedAnswer,
  signal: AbortSignal,
): Promise<readonly number[] | undefined> {
  const found = [...shownIn];
  for (const { page, afterTelegramId } of planned) {
    const finding = await findWhenever(deps, { chatId, afterId: afterTelegramId }, signal);
    if (finding === 'unknown') return undefined;
    if (finding === 'absent') continue;
    await deps.conversations.recordDelivery(id, { chatId, telegramMessageId: finding, page });
    found.push(finding);
  }
  await deps.conversations.forgetPlannedSends(id);
  return found;
}

/** Retries while Telegram is not reachable. @throws the signal's reason. */
async function findWhenever(
  deps: BotDeps,
  lost: LostSend,
  signal: AbortSignal,
): Promise<Exclude<LostSendFinding, 'later'>> {
  for (let tries = 1; tries <= MAX_SEARCHES; tries++) {
    const finding = await findLostPage(deps, lost, signal);
    if (finding !== 'later') return finding;
    await sleep(deps.clock, SEARCH_AGAIN_MS, signal);
  }
  return 'unknown';
}

function mayBeginAnew({ clock }: BotDeps, { createdAt, resumptions }: UnfinishedAnswer): boolean {
  return clock.now() - createdAt.getTime() <= RESUME_WITHIN_MS && resumptions < MAX_RESUMPTIONS;
}

/** Restores the failure from the finish reason; the original failure is not stored. */
function withFailure(generated: GeneratedAnswer): GeneratedAnswer {
  const isBroken = generated.finishReason === 'error' || generated.finishReason === 'interrupted';
  return { ...generated, failure: isBroken ? { kind: 'interrupted' } : undefined };
}

/** Returns whether the answer replaces another one, which is restored if this one stays empty. */
async function isReplacing({ conversations }: BotDeps, { replacesId }: StoredMessage): Promise<boolean> {
  const replaced = replacesId === undefined ? undefined : await conversations.findMessage(replacesId);
  return replaced !== undefined && replaced.content !== '';
}

/** Rebuilds the request of the user; undefined if the user or every model is gone. A complete answer needs no model. */
async function findAnswerContext(
  deps: BotDeps,
  { userId, chatTopic, id }: UnfinishedAnswer,
): Promise<AnswerContext | undefined> {
  const account = await deps.accounts.findUser(userId);
  const group = await findGroup(deps, chatTopic);
  const user = account && asInGroup(account, group);
  const answer = await deps.conversations.findMessage(id);
  const { comparison } = answer?.extras ?? {};
  const modelId = answer?.model;
  const listedModel = modelId === undefined ? undefined : deps.catalogue.find(modelId);
  const answering = user && findAnsweringModel(deps.catalogue, user)?.entry;
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
  deps: BotDeps,
  answer: UnfinishedAnswer,
  question: StoredMessage,
  signal: AbortSignal,
): Promise<void> {
  const { conversations } = deps;
  const kept = await conversations.findMessage(answer.id);
  if (!kept) return;
  const { content, finishReason = 'interrupted' } = kept;
  await conversations.finishMessage(kept.id, { content, finishReason });
  await removeStopButton(deps, answer, signal);
  const failed = {
    chatTopic: answer.chatTopic,
    question,
    answerId: answer.id,
    replyToMessageId: answer.questionMessageId,
    userId: answer.userId,
    texts: await findTexts(deps, answer),
    model: { id: kept.model ?? '' },
  };
  const isTold = await showFailure(deps, failed, { kind: 'interrupted' }, answer.shownIn, signal);
  if (isTold) await conversations.settleMessage(kept.id);
}

async function removeStopButton(deps: BotDeps, answer: UnfinishedAnswer, signal: AbortSignal): Promise<void> {
  const last = answer.shownIn.at(-1);
  if (last === undefined) return;
  try {
    await deps.client.api.editMessageReplyMarkup(answer.chatTopic.chatId, last, {}, toGrammySignal(signal));
  } catch (error) {
    deps.logger.debug(
      { err: error, answerId: answer.id },
      'the Stop button of an interrupted answer could not be removed',
    );
  }
}
