import type { InlineKeyboardMarkup } from 'grammy/types';
import { PAUSED } from '../../core/conversations/index.ts';
import { noObserver, observe, type Span } from '../../lib/log/observer.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import type { TelegramFailure } from '../../telegram/telegram-errors.ts';
import { keepTyping } from '../../telegram/typing.ts';
import type { Failure } from '../failures/failure.ts';
import { toSendOptions } from '../kit/chats.ts';
import { type ActionButton, changeButtons, storeKeyboard } from '../kit/keyboards.ts';
import type { BotServices } from '../kit/services.ts';
import { ReplyStream, ReplyUndeliverableError } from '../reply-stream/index.ts';
import { findLostPage } from '../sending/send-whenever.ts';
import { isTakenOver, WorkStoppedError } from '../work/work-stopped-error.ts';
import type { AnswerJob } from './answer-job.ts';
import type { Companions } from './answer-queue.ts';
import { toSourceList } from './answer-sources.ts';
import { countsAsResumption, isShownAtOnce } from './answer-start.ts';
import { askPermission } from './ask-permission.ts';
import { generateWhenAdmitted } from './generate-when-admitted.ts';
import { type AnswerDisplay, type FinalAnswer, keepAnswer, recordState } from './keep-answer.ts';
import { shortenReasoning, toLivePreface, toPreface } from './reasoning.ts';
import { showFailure } from './show-failure.ts';
import { isQuietTask, isSilent, toTaskHeading, withHeading } from './task-answer.ts';

const STOP_BUTTON_TTL_MS = 86_400_000;
/**
 * Delay before the typing status is sent: it would count against the chat's rate limit without a benefit for faster
 * answers.
 */
const TYPING_AFTER_MS = 700;

/** Signals that end an answer early. */
export interface AnswerSignals {
  /** Aborts generation with a `WorkStoppedError`; the text so far is still delivered. */
  readonly stop: AbortSignal;
  /** Aborts delivery: the process is about to exit. */
  readonly deliverySignal: AbortSignal;
}

/**
 * Result for this process. `unfinished`: the chat does not show the complete answer; another process has to resume it from
 * the database. `settled`: nothing is left to do.
 */
export type AnswerOutcome = 'settled' | 'unfinished';

/**
 * Generates an answer and shows it while it streams. Never throws. The user gets the text, a failure message with
 * buttons, or both; if not from this process, then from the next one.
 */
export async function writeAnswer(
  services: BotServices,
  job: AnswerJob,
  companions: Companions<AnswerJob>,
  signals: AnswerSignals,
): Promise<AnswerOutcome> {
  try {
    return await observe(services.observer ?? noObserver, 'reply', {}, (span) =>
      writeAndShow(services, job, companions, signals, span),
    );
  } catch (error) {
    services.logger.error({ err: error, answerId: job.answerId }, 'an answer could not be written');
    const { chatTopic } = job;
    await services.client.api
      .sendMessage(
        chatTopic.chatId,
        job.texts.apology,
        toSendOptions(chatTopic),
        toGrammySignal(signals.deliverySignal),
      )
      .catch(() => {});
    await recordState(services, job, () =>
      services.conversations.finishMessage(job.answerId, { content: '', finishReason: 'error' }),
    );
    await recordState(services, job, () => services.conversations.settleMessage(job.answerId));
    return 'settled';
  }
}

async function writeAndShow(
  services: BotServices,
  job: AnswerJob,
  companions: Companions<AnswerJob>,
  { stop, deliverySignal }: AnswerSignals,
  span: Span,
): Promise<AnswerOutcome> {
  const { conversations } = services;
  // Counted when the job starts, not when it is queued: an answer can only crash the process while it runs.
  if (countsAsResumption(job.start))
    await recordState(services, job, () => conversations.countResumption(job.answerId));
  const takenOverIds = await claimMessages(services, job);
  const display: AnswerDisplay = {
    answerId: job.answerId,
    shownIds: new Set([...(job.start.removedIds ?? []), ...takenOverIds]),
    chatTopic: job.chatTopic,
    isUndeliverable: new AbortController(),
  };
  const stopKeyboard = await createStopKeyboard(services, job, companions);
  const reply = openReply(services, job, companions, { takenOverIds, stopKeyboard }, display);
  const stopButtonAdded = addStopButton(services, job, { takenOverIds, stopKeyboard });
  const abandonReply = () => void reply.abandon();
  const onStop = () => {
    if (isTakenOver(stop)) abandonReply();
  };
  deliverySignal.addEventListener('abort', abandonReply);
  stop.addEventListener('abort', onStop);
  const typingTopic = { chatId: job.chatTopic.chatId, topicId: job.typingTopicId };
  const stopTyping = isQuietTask(job.question)
    ? () => {}
    : keepTyping(services, typingTopic, { afterMs: TYPING_AFTER_MS });
  const heading = toTaskHeading(services, job);
  // The messages of compared answers are in the order of the models.
  if (isShownAtOnce(job.start) && job.streaming !== 'whole')
    reply.update('', { preface: toPrefaceSoFar(job, false, '') });
  try {
    const cancelGeneration = AbortSignal.any([stop, display.isUndeliverable.signal]);
    const generated =
      job.start.written ??
      (await generateWhenAdmitted(services, job, companions, cancelGeneration, ({ text, shownReasoning, status }) => {
        if (job.streaming === 'whole') return;
        const hasBegun = text !== job.prefix;
        if (hasBegun && status === undefined) stopTyping();
        const preface = withHeading(heading, toPrefaceSoFar(job, hasBegun, shownReasoning));
        reply.update(text, { preface, status });
      }));
    if (isTakenOver(stop)) return 'settled';
    const final = await keepAnswer(services, job, generated, display, companions.listBatch);
    // A late edit would overwrite the final buttons.
    await stopButtonAdded;
    const delivery = isSilent(job.question, generated) ? 'shown' : await deliver(services, job, reply, final);
    if (delivery === 'shown') job.progress.show();
    span.record({ finishReason: delivery === 'shown' ? generated.finishReason : 'undelivered' });
    if (isTakenOver(stop)) return 'settled';
    if (delivery === 'unfinished') return 'unfinished';
    const isTold = final.showsFailure && delivery === 'shown';
    const failure = isTold ? undefined : (generated.failure ?? UNDELIVERED[delivery]);
    const failed = {
      ...job,
      chatTopic: display.chatTopic,
      shownAnswerId: final.isOld ? display.answerId : undefined,
    };
    if (failure && !(await showFailure(services, failed, failure, [...display.shownIds], deliverySignal)))
      return 'unfinished';
    if (generated.finishReason === PAUSED && !failure) {
      if (!(await askPermission(services, { ...job, chatTopic: display.chatTopic }, generated.extras, deliverySignal)))
        return 'unfinished';
      await recordState(services, job, () => conversations.settlePaused(job.answerId));
      if (display.answerId === job.answerId) return 'settled';
    }
    await recordState(services, job, () => conversations.settleMessage(display.answerId));
    return 'settled';
  } finally {
    stopTyping();
    deliverySignal.removeEventListener('abort', abandonReply);
    stop.removeEventListener('abort', onStop);
    await reply.abandon();
  }
}

/** Returns the Telegram messages that the answer overwrites; in the database they become messages of this answer. */
async function claimMessages({ conversations }: BotServices, job: AnswerJob): Promise<readonly number[]> {
  const { answerId, start, chatTopic } = job;
  if (start.replacedAnswerId === undefined) return start.takenOverIds ?? [];
  return conversations.takeOver({ answerId, chatId: chatTopic.chatId });
}

/** Returns the reasoning block: live reasoning until the answer has text, then folded. */
function toPrefaceSoFar({ prefix, prefixExtras, texts }: AnswerJob, hasBegun: boolean, shownReasoning: string) {
  if (prefix !== '') return toPreface(prefixExtras);
  if (hasBegun) return toPreface({ ...prefixExtras, reasoning: shortenReasoning(shownReasoning) });
  return toLivePreface(prefixExtras, shownReasoning, texts.answers.thinking);
}

/** Initial messages and buttons of an answer. */
interface InitialMessages {
  readonly takenOverIds: readonly number[];
  readonly stopKeyboard: () => InlineKeyboardMarkup;
}

/** Stores the Stop button and the button that drops queued questions. Returns a function that builds the current keyboard. */
async function createStopKeyboard(
  services: BotServices,
  job: AnswerJob,
  { countWaiting, listBatch }: Companions<AnswerJob>,
): Promise<() => InlineKeyboardMarkup> {
  const { texts, answerId, userId, batch } = job;
  const stop: ActionButton = {
    text: texts.buttons.stop,
    action: { kind: 'stop', answerId, ...(batch !== undefined && { batch }) },
  };
  const drop: ActionButton = { text: '', action: { kind: 'drop-waiting', answerId } };
  const [[stopButton] = [], [dropButton] = []] = (
    await storeKeyboard(services, { userId, chatId: job.chatTopic.chatId }, [[stop], [drop]], STOP_BUTTON_TTL_MS)
  ).inline_keyboard;
  return () => {
    const count = countWaiting();
    const dropping = dropButton && count > 0 ? [{ ...dropButton, text: texts.buttons.dropWaiting(count) }] : [];
    const text = listBatch().length > 1 ? texts.buttons.stopAll : texts.buttons.stop;
    return { inline_keyboard: [[...(stopButton ? [{ ...stopButton, text }] : []), ...dropping]] };
  };
}

/**
 * Adds the Stop button to an answer that is being replaced or continued: until the first text arrives, it would look
 * finished.
 */
async function addStopButton(
  services: BotServices,
  job: AnswerJob,
  { takenOverIds, stopKeyboard }: InitialMessages,
): Promise<void> {
  const messageId = takenOverIds.at(-1);
  if (!isReplacing(job) || job.start.written || messageId === undefined) return;
  await changeButtons(services, { chatId: job.chatTopic.chatId, messageId }, stopKeyboard());
}

function isReplacing({ start, prefix }: AnswerJob): boolean {
  const isRetry = isShownAtOnce(start) && Boolean(start.takenOverIds?.length);
  return isRetry || start.replacedAnswerId !== undefined || prefix !== '';
}

function openReply(
  services: BotServices,
  job: AnswerJob,
  { sends, listBatch }: Companions<AnswerJob>,
  { takenOverIds, stopKeyboard }: InitialMessages,
  display: AnswerDisplay,
): ReplyStream {
  const { conversations } = services;
  const { shownIds } = display;
  const { chatId, topicId } = job.chatTopic;
  const { isInChain = false, replyToMessageId } = job;
  const target = { chatId, topicId, isPrivate: !job.isGroup, isInChain, replyToMessageId };
  let replacedIds = job.start.removedIds ?? [];
  return new ReplyStream(services, target, {
    streamingKeyboard: stopKeyboard,
    initialMessageIds: takenOverIds,
    isReplacing: isReplacing(job),
    sends: findSends(job, sends),
    replyCount: listBatch().length,
    draftId: job.streaming === 'drafts' ? job.answerId : undefined,
    richSupport: job.isRich ? services.richSupport : undefined,
    findLostSend: (lost, signal) => findLostPage(services, lost, signal),
    onSending: ({ index, afterId }) =>
      conversations.planSend(display.answerId, {
        page: index,
        chatId: display.chatTopic.chatId,
        afterTelegramId: afterId,
      }),
    onDelivered: async ({ index, messageId }) => {
      shownIds.add(messageId);
      const delivery = { chatId: display.chatTopic.chatId, telegramMessageId: messageId, page: index };
      await conversations.recordDelivery(display.answerId, delivery);
      job.progress.place();
      const removedIds = replacedIds;
      replacedIds = [];
      await removeMessages(services, display.chatTopic.chatId, removedIds, shownIds);
    },
    onRemoved: async (messageId) => {
      shownIds.delete(messageId);
      await conversations.forgetDelivery(display.chatTopic.chatId, messageId);
    },
    onMoved: async (supergroupId) => {
      shownIds.clear();
      display.chatTopic = { chatId: supergroupId, topicId: undefined };
      await conversations.moveChat(chatId, supergroupId);
      await services.groups.move(chatId, supergroupId);
    },
    onUndeliverable: () => display.isUndeliverable.abort(new WorkStoppedError('chat')),
  });
}

/** Returns the queue of sends. The messages of answers that are shown from the start are in the order of the models. */
function findSends(
  { start, streaming }: AnswerJob,
  sends: Companions<AnswerJob>['sends'],
): Companions<AnswerJob>['sends'] {
  if (!isShownAtOnce(start) || streaming === 'whole') return sends;
  return {
    async run(work, options) {
      await start.after;
      return sends.run(work, options);
    },
  };
}

/**
 * Failures to report for answers that were generated but not completely delivered. Without an entry the chat is not
 * reachable, and nothing is sent.
 */
const UNDELIVERED: { readonly [delivery in Delivery]?: Failure } = {
  unclear: { kind: 'unconfirmed' },
  refused: { kind: 'internal' },
};

/** Result of a delivery. `refused`: Telegram rejects every form of the text, or rendering fails. */
type Delivery = 'shown' | 'given-up' | 'refused' | 'unclear' | 'unfinished';

/** Failures after which a later attempt can succeed. */
const RETRYABLE: ReadonlySet<TelegramFailure['kind']> = new Set(['aborted', 'dropped', 'flood', 'not-sent']);

async function deliver(
  services: BotServices,
  job: AnswerJob,
  reply: ReplyStream,
  { text, extras, keyboard, status }: FinalAnswer,
): Promise<Delivery> {
  try {
    const sources = text === '' ? '' : toSourceList(extras.sources ?? [], job.texts.answers.sources);
    await reply.finish(text + sources, {
      keyboard,
      preface: withHeading(toTaskHeading(services, job), toPreface(extras)),
      status,
    });
    return 'shown';
  } catch (error) {
    if (!(error instanceof ReplyUndeliverableError)) throw error;
    const { kind } = error.failure;
    services.logger.warn({ failure: kind, answerId: job.answerId }, 'an answer was only partly delivered');
    if (kind === 'unclear') return 'unclear';
    if (kind === 'rejected' || kind === 'foreign') return 'refused';
    return RETRYABLE.has(kind) ? 'unfinished' : 'given-up';
  }
}

/** Removes the messages of a failed attempt. */
async function removeMessages(
  services: BotServices,
  chatId: number,
  messageIds: readonly number[],
  shownIds: Set<number>,
) {
  for (const messageId of messageIds) {
    shownIds.delete(messageId);
    await services.client.api.deleteMessage(chatId, messageId).catch((error: unknown) => {
      services.logger.debug({ err: error }, 'a message of a failed answer could not be removed');
    });
  }
}
