import type { Place } from '../core/conversations/index.ts';
import { noObserver, observe, type Work } from '../lib/observer.ts';
import { toGrammySignal } from '../telegram/grammy-signal.ts';
import type { TelegramFailure } from '../telegram/telegram-errors.ts';
import { keepTyping } from '../telegram/typing.ts';
import type { AnswerJob } from './answer-job.ts';
import type { BotDeps } from './bot-deps.ts';
import { findLostPage } from './find-lost-page.ts';
import { generateAnswer } from './generate-answer.ts';
import { type ChoiceButton, offerKeyboard } from './keyboard.ts';
import { ReplyStoppedError } from './reply-queue.ts';
import { createReplyStream, type ReplyStream, ReplyUndeliverableError } from './reply-stream/index.ts';
import { showFailure } from './show-failure.ts';

const STOP_BUTTON_TTL_MS = 86_400_000;
/** Words that come sooner need no announcement: it would take one of the chat's calls from them. */
const TYPING_AFTER_MS = 700;

/** What can end an answer early. */
export interface AnswerSignals {
  /** Aborted with a `ReplyStoppedError`: no further words are generated; what there is gets delivered. */
  readonly stop: AbortSignal;
  /** The process is about to end: what is not delivered by now never will be. */
  readonly over: AbortSignal;
}

/**
 * `owed`: the chat does not show all of it yet, and this process can do no more about it; the database knows. `settled`: nothing is
 * left to do for this process.
 */
export type AnswerOutcome = 'settled' | 'owed';

/**
 * Generates an answer and shows it while it grows. Never throws: whatever happens, the person sees the answer's text, a failure with
 * something to press, or both, if not from this process, then from the next one.
 */
export async function writeAnswer(deps: BotDeps, job: AnswerJob, signals: AnswerSignals): Promise<AnswerOutcome> {
  try {
    return await observe(deps.observer ?? noObserver, 'reply', {}, (work) => writeAndShow(deps, job, signals, work));
  } catch (error) {
    deps.logger.error({ err: error, answerId: job.answerId }, 'an answer could not be written');
    const { chatId, topicId } = job.place;
    const options = topicId === undefined ? {} : { message_thread_id: topicId };
    await deps.client.api.sendMessage(chatId, job.texts.apology, options, toGrammySignal(signals.over)).catch(() => {});
    await note(deps, job, () => deps.conversations.finishMessage(job.answerId, { content: '', finishReason: 'error' }));
    await note(deps, job, () => deps.conversations.settleMessage(job.answerId));
    return 'settled';
  }
}

async function writeAndShow(
  deps: BotDeps,
  job: AnswerJob,
  { stop, over }: AnswerSignals,
  work: Work,
): Promise<AnswerOutcome> {
  const { conversations } = deps;
  // Not before its turn has come: what ends the process until then is not this answer.
  if (job.isBegunAnew) await note(deps, job, () => conversations.countResumption(job.answerId));
  const isUndeliverable = new AbortController();
  const showing: Showing = {
    shownIds: new Set([...job.replacedIds, ...job.takenOverIds]),
    place: job.place,
    isUndeliverable,
  };
  const reply = await openReply(deps, job, showing);
  const abandon = () => void reply.abandon();
  const isElsewhere = () =>
    stop.aborted && stop.reason instanceof ReplyStoppedError && stop.reason.by === 'other-process';
  const onStop = () => {
    if (isElsewhere()) abandon();
  };
  over.addEventListener('abort', abandon);
  stop.addEventListener('abort', onStop);
  const typingPlace = { chatId: job.place.chatId, topicId: job.typingTopicId };
  const stopTyping = keepTyping(deps, typingPlace, { afterMs: TYPING_AFTER_MS });
  try {
    const generation = AbortSignal.any([stop, isUndeliverable.signal]);
    const generated =
      job.generated ??
      (await generateAnswer(deps, job, generation, (textSoFar, status) => {
        if (textSoFar !== '' && status === undefined) stopTyping();
        reply.update(textSoFar, status);
      }));
    if (isElsewhere()) return 'settled';
    const { text: content, finishReason } = generated;
    // An answer that can't be kept is shown nevertheless.
    await note(deps, job, () => conversations.finishMessage(job.answerId, { content, finishReason }));
    const delivery = await deliver(deps, job, reply, content);
    work.note({ finishReason: delivery === 'shown' ? finishReason : 'undelivered' });
    if (isElsewhere()) return 'settled';
    if (delivery === 'owed') return 'owed';
    const failure = generated.failure ?? (delivery === 'unclear' ? ({ kind: 'interrupted' } as const) : undefined);
    const failed = { ...job, place: showing.place };
    if (failure && !(await showFailure(deps, failed, failure, [...showing.shownIds], over))) return 'owed';
    await note(deps, job, () => conversations.settleMessage(job.answerId));
    return 'settled';
  } finally {
    stopTyping();
    over.removeEventListener('abort', abandon);
    stop.removeEventListener('abort', onStop);
    await reply.abandon();
  }
}

/** Where an answer shows, as far as that is known by now. */
interface Showing {
  readonly shownIds: Set<number>;
  place: Place;
  readonly isUndeliverable: AbortController;
}

async function openReply(deps: BotDeps, job: AnswerJob, showing: Showing): Promise<ReplyStream> {
  const { conversations } = deps;
  const { shownIds } = showing;
  const { chatId, topicId } = job.place;
  const stop: ChoiceButton = { text: job.texts.buttons.stop, choice: { kind: 'stop', answerId: job.answerId } };
  const streamingKeyboard = await offerKeyboard(deps, job.personId, [[stop]], STOP_BUTTON_TTL_MS);
  const target = { chatId, topicId, isPrivate: !job.isGroup, replyToMessageId: job.replyToMessageId };
  let replacedIds = job.replacedIds;
  return createReplyStream(deps, target, {
    streamingKeyboard,
    initialMessageIds: job.takenOverIds,
    findLostSend: (lost, signal) => findLostPage(deps, lost, signal),
    onSending: ({ index, afterId }) =>
      conversations.planSend(job.answerId, { page: index, chatId: showing.place.chatId, afterTelegramId: afterId }),
    onDelivered: async ({ index, messageId }) => {
      shownIds.add(messageId);
      const delivery = { chatId: showing.place.chatId, telegramMessageId: messageId, page: index };
      await conversations.recordDelivery(job.answerId, delivery);
      const goingIds = replacedIds;
      replacedIds = [];
      await removeMessages(deps, showing.place.chatId, goingIds, shownIds);
    },
    onRemoved: async (messageId) => {
      shownIds.delete(messageId);
      await conversations.forgetDelivery(showing.place.chatId, messageId);
    },
    onMoved: async (supergroupId) => {
      shownIds.clear();
      showing.place = { chatId: supergroupId, topicId: undefined };
      await conversations.moveChat(chatId, supergroupId);
    },
    onUndeliverable: () => showing.isUndeliverable.abort(new ReplyStoppedError('chat')),
  });
}

async function note(deps: BotDeps, job: AnswerJob, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    deps.logger.error({ err: error, answerId: job.answerId }, 'the state of an answer could not be noted');
  }
}

/** Failures that say nothing about a later try. */
const PASSING: ReadonlySet<TelegramFailure['kind']> = new Set(['aborted', 'dropped', 'flood', 'not-sent']);

async function deliver(
  deps: BotDeps,
  job: AnswerJob,
  reply: ReplyStream,
  text: string,
): Promise<'shown' | 'given-up' | 'unclear' | 'owed'> {
  try {
    await reply.finish(text);
    return 'shown';
  } catch (error) {
    if (!(error instanceof ReplyUndeliverableError)) throw error;
    const { kind } = error.failure;
    deps.logger.warn({ failure: kind, answerId: job.answerId }, 'an answer was not wholly delivered');
    if (kind === 'unclear') return 'unclear';
    return PASSING.has(kind) ? 'owed' : 'given-up';
  }
}

/** Takes away what a failed try has left in the chat. */
async function removeMessages(deps: BotDeps, chatId: number, messageIds: readonly number[], shownIds: Set<number>) {
  for (const messageId of messageIds) {
    shownIds.delete(messageId);
    await deps.client.api.deleteMessage(chatId, messageId).catch((error: unknown) => {
      deps.logger.debug({ err: error }, 'a message of a failed answer stays');
    });
  }
}
