import { noObserver, observe, type Work } from '../lib/observer.ts';
import { toGrammySignal } from '../telegram/grammy-signal.ts';
import { keepTyping } from '../telegram/typing.ts';
import type { AnswerJob } from './answer-job.ts';
import type { BotDeps } from './bot-deps.ts';
import { generateAnswer } from './generate-answer.ts';
import { type ChoiceButton, offerKeyboard } from './keyboard.ts';
import { ReplyStoppedError } from './reply-queue.ts';
import { createReplyStream, type ReplyStream, ReplyUndeliverableError } from './reply-stream/index.ts';
import { showFailure } from './show-failure.ts';

const STOP_BUTTON_TTL_MS = 86_400_000;

/** What can end an answer early. */
export interface AnswerSignals {
  /** Aborted with a `ReplyStoppedError`: no further words are generated; what there is gets delivered. */
  readonly stop: AbortSignal;
  /** The process is about to end: what is not delivered by now never will be. */
  readonly over: AbortSignal;
}

/**
 * Generates an answer and shows it while it grows. Never throws: whatever happens, the person sees the answer's text, a failure with
 * something to press, or both.
 */
export async function writeAnswer(deps: BotDeps, job: AnswerJob, signals: AnswerSignals): Promise<void> {
  try {
    await observe(deps.observer ?? noObserver, 'reply', {}, (work) => writeAndShow(deps, job, signals, work));
  } catch (error) {
    deps.logger.error({ err: error, answerId: job.answerId }, 'an answer could not be written');
    const { chatId, topicId } = job.place;
    const options = topicId === undefined ? {} : { message_thread_id: topicId };
    await deps.client.api.sendMessage(chatId, job.texts.apology, options, toGrammySignal(signals.over)).catch(() => {});
  }
}

async function writeAndShow(deps: BotDeps, job: AnswerJob, { stop, over }: AnswerSignals, work: Work): Promise<void> {
  const isUndeliverable = new AbortController();
  const shownIds = new Set(job.shownIds);
  const reply = await openReply(deps, job, shownIds, isUndeliverable);
  const abandon = () => void reply.abandon();
  over.addEventListener('abort', abandon);
  const stopTyping = keepTyping(deps, { chatId: job.place.chatId, topicId: job.typingTopicId });
  try {
    const generation = AbortSignal.any([stop, isUndeliverable.signal]);
    const { text, finishReason, failure } = await generateAnswer(deps, job, generation, (textSoFar) => {
      if (textSoFar !== '') stopTyping();
      reply.update(textSoFar);
    });
    await keep(deps, job.answerId, text, finishReason);
    const isDelivered = await deliver(deps, job, reply, text);
    work.note({ finishReason: isDelivered ? finishReason : 'undelivered' });
    if (failure) await showFailure(deps, job, failure, [...shownIds], over);
  } finally {
    stopTyping();
    over.removeEventListener('abort', abandon);
    await reply.abandon();
  }
}

async function openReply(
  deps: BotDeps,
  job: AnswerJob,
  shownIds: Set<number>,
  isUndeliverable: AbortController,
): Promise<ReplyStream> {
  const { chatId, topicId } = job.place;
  const stop: ChoiceButton = { text: job.texts.buttons.stop, choice: { kind: 'stop', answerId: job.answerId } };
  const streamingKeyboard = await offerKeyboard(deps, job.personId, [[stop]], STOP_BUTTON_TTL_MS);
  const target = { chatId, topicId, isPrivate: !job.isGroup, replyToMessageId: job.replyToMessageId };
  let earlierIds = job.shownIds;
  return createReplyStream(deps, target, {
    streamingKeyboard,
    onDelivered: async ({ index, messageId }) => {
      shownIds.add(messageId);
      await deps.conversations.recordDelivery(job.answerId, { chatId, telegramMessageId: messageId, page: index });
      const replacedIds = earlierIds;
      earlierIds = [];
      await removeMessages(deps, chatId, replacedIds, shownIds);
    },
    onRemoved: (messageId) => void shownIds.delete(messageId),
    onUndeliverable: () => isUndeliverable.abort(new ReplyStoppedError('chat')),
  });
}

/** An answer that can't be kept is shown nevertheless. */
async function keep(deps: BotDeps, answerId: number, content: string, finishReason: string): Promise<void> {
  try {
    await deps.conversations.finishMessage(answerId, { content, finishReason });
  } catch (error) {
    deps.logger.error({ err: error, answerId }, 'an answer could not be kept');
  }
}

/** False where the chat does not take it. */
async function deliver(deps: BotDeps, job: AnswerJob, reply: ReplyStream, text: string): Promise<boolean> {
  try {
    await reply.finish(text);
    return true;
  } catch (error) {
    if (!(error instanceof ReplyUndeliverableError)) throw error;
    deps.logger.warn({ failure: error.failure.kind, answerId: job.answerId }, 'an answer was not wholly delivered');
    return false;
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
