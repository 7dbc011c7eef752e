import type { InlineKeyboardMarkup } from 'grammy/types';
import type { UserSettings } from '../../core/accounts/index.ts';
import { PAUSED } from '../../core/conversations/index.ts';
import { isTakenOver, WorkStoppedError } from '../../core/jobs/index.ts';
import { noObserver, observe, type Span } from '../../lib/log/observer.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import type { TelegramFailure } from '../../telegram/telegram-errors.ts';
import { keepTyping } from '../../telegram/typing.ts';
import { toSendOptions } from '../kit/chats.ts';
import type { Failure } from '../kit/failure.ts';
import { type ActionButton, changeButtons, storeKeyboard } from '../kit/keyboards.ts';
import { findLostPage } from '../kit/send-whenever.ts';
import type { BotServices } from '../kit/services.ts';
import { ReplyStream, ReplyUndeliverableError } from '../reply-stream/reply-stream.ts';
import type { Answer } from './answer.ts';
import type { Companions } from './answer-queue.ts';
import { toSourceList } from './answer-sources.ts';
import { askPermission } from './ask-permission.ts';
import { findHeading, isQuiet, listAnswerTools } from './extend-answer.ts';
import { type AnswerRun, generateWhenAdmitted } from './generate-when-admitted.ts';
import type { GeneratedAnswer } from './generated-answer.ts';
import { type AnswerDisplay, type FinalAnswer, keepAnswer, recordState } from './keep-answer.ts';
import { shortenReasoning, toLivePreface, toPreface, withHeading } from './reasoning.ts';
import { toAnsweredQuestion } from './send-about-answer.ts';
import { showFailure } from './show-failure.ts';

const STOP_BUTTON_TTL_MS = 86_400_000;
/**
 * Delay before the typing status is sent: it would count against the chat's rate limit without a benefit for faster
 * answers.
 */
const TYPING_AFTER_MS = 700;

/**
 * Result for this process. `unfinished`: the chat does not show the complete answer; another process has to resume it from
 * the database. `settled`: nothing is left to do.
 */
export type AnswerOutcome = 'settled' | 'unfinished';

/**
 * Generates an answer and shows it while it streams. Never throws. The user gets the text, a failure message with
 * buttons, or both; if not from this process, then from the next one.
 */
export async function writeAnswer(services: BotServices, run: AnswerRun): Promise<AnswerOutcome> {
  const { answer, deliverySignal } = run;
  try {
    return await observe(services.observer ?? noObserver, 'reply', {}, (span) => writeAndShow(services, run, span));
  } catch (error) {
    services.logger.error({ err: error, answerId: answer.id }, 'an answer could not be written');
    const { chatTopic, texts } = answer.context;
    await services.client.api
      .sendMessage(chatTopic.chatId, texts.apology, toSendOptions(chatTopic), toGrammySignal(deliverySignal))
      .catch(() => {});
    await recordState(services, answer, () =>
      services.conversations.finishMessage(answer.id, { content: '', finishReason: 'error' }),
    );
    await recordState(services, answer, () => services.conversations.settleMessage(answer.id));
    return 'settled';
  }
}

async function writeAndShow(services: BotServices, run: AnswerRun, span: Span): Promise<AnswerOutcome> {
  const { conversations } = services;
  const { answer, stop, deliverySignal } = run;
  // Counted when the job starts, not when it is queued: an answer can only crash the process while it runs.
  if (answer.isResumption) await recordState(services, answer, () => conversations.countResumption(answer.id));
  const takenOverIds = await claimMessages(services, answer);
  const display: AnswerDisplay = {
    answerId: answer.id,
    shownIds: new Set([...answer.removedIds, ...takenOverIds]),
    chatTopic: answer.chatTopic,
    isUndeliverable: new AbortController(),
  };
  if (answer.written) answer.finish(answer.written.finishReason);
  const stopKeyboard = await createStopKeyboard(services, run);
  const reply = openReply(services, run, { takenOverIds, stopKeyboard }, display);
  const stopButtonAdded = addStopButton(services, answer, { takenOverIds, stopKeyboard });
  const abandonReply = () => void reply.abandon();
  const onStop = () => {
    if (isTakenOver(stop)) abandonReply();
  };
  deliverySignal.addEventListener('abort', abandonReply);
  stop.addEventListener('abort', onStop);
  const typingTopic = { chatId: answer.chatTopic.chatId, topicId: answer.context.typingTopicId };
  const stopTyping = isQuiet(services, answer.question)
    ? () => {}
    : keepTyping(services, typingTopic, { afterMs: TYPING_AFTER_MS });
  const heading = findHeading(services, toAnsweredQuestion(answer, answer.chatTopic));
  const streaming = findStreaming(services, answer);
  // The messages of compared answers are in the order of the models.
  if (answer.isShownAtOnce && streaming !== 'whole') reply.update('', { preface: toPrefaceSoFar(answer, false, '') });
  try {
    const cancelGeneration = AbortSignal.any([stop, display.isUndeliverable.signal]);
    const generated =
      answer.written ??
      (await generateWhenAdmitted(services, run, cancelGeneration, ({ text, shownReasoning, status }) => {
        if (streaming === 'whole') return;
        const hasBegun = text !== answer.prefix;
        if (hasBegun && status === undefined) stopTyping();
        const preface = withHeading(heading, toPrefaceSoFar(answer, hasBegun, shownReasoning));
        reply.update(text, { preface, status });
      }));
    if (isTakenOver(stop)) return 'settled';
    const final = await keepAnswer(services, run, generated, display);
    // A late edit would overwrite the final buttons.
    await stopButtonAdded;
    const delivery = isSilent(services, answer, generated) ? 'shown' : await deliver(services, answer, reply, final);
    if (delivery === 'shown') answer.enter('shown');
    span.record({ finishReason: delivery === 'shown' ? generated.finishReason : 'undelivered' });
    if (isTakenOver(stop)) return 'settled';
    if (delivery === 'unfinished') return 'unfinished';
    const isTold = final.showsFailure && delivery === 'shown';
    const failure = isTold ? undefined : (generated.failure ?? UNDELIVERED[delivery]);
    const answered = toAnsweredQuestion(answer, display.chatTopic);
    const { model } = answer.context;
    const failed = { ...answered, model, shownAnswerId: final.isOld ? display.answerId : undefined };
    if (failure && !(await showFailure(services, failed, failure, [...display.shownIds], deliverySignal)))
      return 'unfinished';
    if (generated.finishReason === PAUSED && !failure) {
      const tools = listAnswerTools(services, answer);
      if (!(await askPermission(services, answered, { ...generated.extras, tools }, deliverySignal)))
        return 'unfinished';
      await recordState(services, answer, () => conversations.settlePaused(answer.id));
      if (display.answerId === answer.id) return 'settled';
    }
    await recordState(services, answer, () => conversations.settleMessage(display.answerId));
    return 'settled';
  } finally {
    stopTyping();
    deliverySignal.removeEventListener('abort', abandonReply);
    stop.removeEventListener('abort', onStop);
    await reply.abandon();
  }
}

/** Returns the Telegram messages that the answer overwrites; in the database they become messages of this answer. */
async function claimMessages(
  { conversations }: BotServices,
  { id, replacedAnswerId, takenOverIds, chatTopic }: Answer,
): Promise<readonly number[]> {
  if (replacedAnswerId === undefined) return takenOverIds;
  return conversations.takeOver({ answerId: id, chatId: chatTopic.chatId });
}

/** Returns the reasoning block: live reasoning until the answer has text, then folded. */
function toPrefaceSoFar({ prefix, prefixExtras, context }: Answer, hasBegun: boolean, shownReasoning: string) {
  if (prefix !== '') return toPreface(prefixExtras);
  if (hasBegun) return toPreface({ ...prefixExtras, reasoning: shortenReasoning(shownReasoning) });
  return toLivePreface(prefixExtras, shownReasoning, context.texts.answers.thinking);
}

/** Initial messages and buttons of an answer. */
interface InitialMessages {
  readonly takenOverIds: readonly number[];
  readonly stopKeyboard: () => InlineKeyboardMarkup;
}

/** Stores the Stop button and the button that drops queued questions. Returns a function that builds the current keyboard. */
async function createStopKeyboard(
  services: BotServices,
  { answer, companions: { countWaiting, listBatch } }: AnswerRun,
): Promise<() => InlineKeyboardMarkup> {
  const { id: answerId, userId, batch, chatTopic } = answer;
  const { texts } = answer.context;
  const stop: ActionButton = {
    text: texts.buttons.stop,
    action: { kind: 'stop', answerId, ...(batch !== undefined && { batch }) },
  };
  const drop: ActionButton = { text: '', action: { kind: 'drop-waiting', answerId } };
  const [[stopButton] = [], [dropButton] = []] = (
    await storeKeyboard(services, { userId, chatId: chatTopic.chatId }, [[stop], [drop]], STOP_BUTTON_TTL_MS)
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
  { isReplacing, written, chatTopic }: Answer,
  { takenOverIds, stopKeyboard }: InitialMessages,
): Promise<void> {
  const messageId = takenOverIds.at(-1);
  if (!isReplacing || written || messageId === undefined) return;
  await changeButtons(services, { chatId: chatTopic.chatId, messageId }, stopKeyboard());
}

/** Returns how the chat shows the answer while it grows. */
function findStreaming(services: BotServices, { question, context, batch }: Answer): UserSettings['streaming'] {
  if (isQuiet(services, question)) return 'whole';
  if (context.isGroup) return 'edits';
  const { streaming } = context.user.settings;
  // A chat has one draft at a time.
  return batch !== undefined && streaming === 'drafts' ? 'edits' : streaming;
}

function openReply(
  services: BotServices,
  { answer, companions }: AnswerRun,
  { takenOverIds, stopKeyboard }: InitialMessages,
  display: AnswerDisplay,
): ReplyStream {
  const { conversations } = services;
  const { shownIds } = display;
  const { isInChain = false, isGroup, chatTopic, user } = answer.context;
  const { chatId, topicId } = chatTopic;
  const target = { chatId, topicId, isPrivate: !isGroup, isInChain, replyToMessageId: answer.replyTo };
  let removableIds = answer.removedIds;
  return new ReplyStream(services, target, {
    streamingKeyboard: stopKeyboard,
    initialMessageIds: takenOverIds,
    isReplacing: answer.isReplacing,
    sends: findSends(services, answer, companions.sends),
    replyCount: companions.listBatch().length,
    draftId: findStreaming(services, answer) === 'drafts' ? answer.id : undefined,
    // Tables and formulas as Telegram's rich blocks.
    richSupport: (user.settings.hasRichMessages ?? true) ? services.richSupport : undefined,
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
      answer.place();
      const removedIds = removableIds;
      removableIds = [];
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

function isSilent({ listAnswerExtensions }: BotServices, { question }: Answer, generated: GeneratedAnswer): boolean {
  return listAnswerExtensions().some((extension) => extension.isSilent?.(question, generated));
}

/** Returns the queue of sends. The messages of answers that are shown from the start are in the order of the models. */
function findSends(
  services: BotServices,
  answer: Answer, sends: Companions<Answer>['sends']): Companions<Answer>['sends'] {
  if (!answer.isShownAtOnce || findStreaming(services, answer) === 'whole') return sends;
  return {
    async run(work, options) {
      await answer.after;
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
  answer: Answer,
  reply: ReplyStream,
  { text, extras, keyboard, status }: FinalAnswer,
): Promise<Delivery> {
  try {
    const sources = text === '' ? '' : toSourceList(extras.sources ?? [], answer.context.texts.answers.sources);
    await reply.finish(text + sources, {
      keyboard,
      preface: withHeading(findHeading(services, toAnsweredQuestion(answer, answer.chatTopic)), toPreface(extras)),
      status,
    });
    return 'shown';
  } catch (error) {
    if (!(error instanceof ReplyUndeliverableError)) throw error;
    const { kind } = error.failure;
    services.logger.warn({ failure: kind, answerId: answer.id }, 'an answer was only partly delivered');
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
