import type { StoredMessage, UnfinishedAnswer } from '../core/conversations/index.ts';
import { toGrammySignal } from '../telegram/grammy-signal.ts';
import type { Answers, Asking } from './answers.ts';
import type { BotDeps } from './bot-deps.ts';
import { findAnsweringModel } from './model-choice.ts';
import { showFailure } from './show-failure.ts';
import { findLocale, locales } from './texts/locales.ts';

/** An answer that ends the process again and again is not begun anew for ever. */
const MAX_RESUMPTIONS = 2;

/**
 * Goes on with what a crash has cut short in a chat. Answers of which nothing was shown, and those that others wait behind, are
 * written now. The last one of a thread, where people have seen a part of it, is declared cut short, with a button to write it
 * anew. Never throws; ends early when the signal aborts.
 */
export async function resumeAnswers(
  deps: BotDeps,
  answers: Answers,
  chatId: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    const unfinished = (await deps.conversations.listUnfinished(chatId)).filter(({ id }) => !answers.isUnderWay(id));
    for (const [at, answer] of unfinished.entries()) {
      if (signal.aborted) return;
      const isLast = !unfinished.slice(at + 1).some((later) => isSamePlace(later, answer));
      await goOn(deps, answers, answer, { isLast, signal }).catch((error: unknown) => {
        deps.logger.warn({ err: error, answerId: answer.id }, 'an interrupted answer could not be gone on with');
      });
    }
  } catch (error) {
    deps.logger.warn({ err: error, chatId }, 'interrupted answers could not be gone on with');
  }
}

async function goOn(
  deps: BotDeps,
  answers: Answers,
  answer: UnfinishedAnswer,
  { isLast, signal }: { readonly isLast: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const question = await deps.conversations.findMessage(answer.questionId);
  if (!question) return;
  const isShown = answer.shownIn.length > 0;
  const asking = isShown && isLast ? undefined : await findAsking(deps, answer);
  if (asking && (await deps.conversations.countResumption(answer.id)) <= MAX_RESUMPTIONS) {
    answers.resume(asking, question, answer);
  } else {
    await declareInterrupted(deps, answer, question, signal);
  }
}

/** Undefined where nobody could answer any more. */
async function findAsking(deps: BotDeps, { personId, place, id }: UnfinishedAnswer): Promise<Asking | undefined> {
  const person = await deps.accounts.findPerson(personId);
  const asked = (await deps.conversations.findMessage(id))?.model;
  const known = asked === undefined ? undefined : deps.catalogue.find(asked);
  const model = known?.type === 'chat' ? known : person && findAnsweringModel(deps.catalogue, person)?.entry;
  if (!person || !model) return undefined;
  const texts = locales[findLocale(person.settings.language)];
  // Groups have negative ids.
  return { person, texts, place, isGroup: place.chatId < 0, typingTopicId: place.topicId, model };
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
  await conversations.finishMessage(kept.id, { content: kept.content, finishReason: 'interrupted' });
  await removeStopButton(deps, answer, signal);
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

function isSamePlace({ place: one }: UnfinishedAnswer, { place: other }: UnfinishedAnswer): boolean {
  return one.chatId === other.chatId && one.topicId === other.topicId;
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
