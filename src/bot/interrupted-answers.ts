import type { UnfinishedAnswer } from '../core/conversations/index.ts';
import { toGrammySignal } from '../telegram/grammy-signal.ts';
import type { BotDeps } from './bot-deps.ts';
import { showFailure } from './show-failure.ts';
import { findLocale, locales } from './texts/locales.ts';

/**
 * Tells people whose answers a crash has cut short, so that none stands there as if it were whole, and offers to write them anew.
 * Where the conversation has gone on since, only the dead Stop button goes. Never throws; ends early when the signal aborts.
 */
export async function tellInterrupted(
  deps: BotDeps,
  answers: readonly UnfinishedAnswer[],
  signal: AbortSignal,
): Promise<void> {
  const ids = new Set(answers.map((answer) => answer.id));
  for (const answer of answers) {
    if (signal.aborted) return;
    await conclude(deps, answer, ids, signal).catch((error: unknown) => {
      deps.logger.warn({ err: error, answerId: answer.id }, 'an interrupted answer could not be concluded');
    });
  }
}

async function conclude(
  deps: BotDeps,
  answer: UnfinishedAnswer,
  interruptedIds: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<void> {
  const { conversations } = deps;
  const kept = await conversations.findMessage(answer.id);
  // Another process that was ending may have finished it meanwhile.
  if (!kept || kept.finishReason !== undefined) return;
  await conversations.finishMessage(kept.id, { content: kept.content, finishReason: 'interrupted' });
  await removeStopButton(deps, answer, signal);

  const latest = await conversations.findLatestMessage(kept.threadId);
  const question = await conversations.findMessage(answer.questionId);
  if (!question || !latest || !interruptedIds.has(latest.id)) return;
  const person = await deps.accounts.findPerson(answer.personId);
  const failed = {
    place: answer.place,
    question,
    answerId: answer.id,
    replyToMessageId: answer.askedIn,
    personId: answer.personId,
    texts: locales[findLocale(person?.settings.language)],
    model: { id: kept.model ?? '' },
  };
  await showFailure(deps, failed, { kind: 'interrupted' }, answer.shownIn, signal);
}

async function removeStopButton(deps: BotDeps, answer: UnfinishedAnswer, signal: AbortSignal): Promise<void> {
  const last = answer.shownIn.at(-1);
  if (last === undefined) return;
  try {
    await deps.client.api.editMessageReplyMarkup(answer.place.chatId, last, {}, toGrammySignal(signal));
  } catch (error) {
    deps.logger.debug({ err: error, answerId: answer.id }, 'the Stop button of an interrupted answer stays');
  }
}
