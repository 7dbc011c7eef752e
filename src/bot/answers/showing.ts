import type { InlineKeyboardMarkup } from 'grammy/types';
import type { UserSettings } from '../../core/accounts/index.ts';
import type { ChatTopic, MessageExtras } from '../../core/conversations/index.ts';
import { WorkStoppedError } from '../../core/jobs/index.ts';
import { leaveOnAbort } from '../../lib/async/leave-on-abort.ts';
import type { TelegramFailure } from '../../telegram/telegram-errors.ts';
import { keepTyping } from '../../telegram/typing.ts';
import { type ActionButton, changeButtons, storeKeyboard } from '../kit/keyboards.ts';
import { findLostPage } from '../kit/send-whenever.ts';
import type { BotServices } from '../kit/services.ts';
import type { ReplyPreface } from '../reply-stream/page-plan.ts';
import { ReplyStream, ReplyUndeliverableError } from '../reply-stream/reply-stream.ts';
import type { Answer } from './answer.ts';
import { findHeading, findTitle, isQuiet } from './extensions.ts';
import type { AnswerSoFar } from './generation/generation.ts';
import { shortenReasoning, toLivePreface, toPreface, withHeading } from './generation/reasoning.ts';
import { toSourceList } from './generation/sources.ts';
import { toAnsweredQuestion } from './send-about-answer.ts';
import type { AnswerRun } from './writing.ts';

const STOP_BUTTON_TTL_MS = 86_400_000;
/**
 * Delay before the typing status is sent: it would count against the chat's rate limit without a benefit for faster
 * answers.
 */
const TYPING_AFTER_MS = 700;
/** Failures after which a later attempt can succeed. */
const RETRYABLE: ReadonlySet<TelegramFailure['kind']> = new Set(['aborted', 'dropped', 'flood', 'not-sent']);

/** Result of a delivery. `refused`: Telegram rejects every form of the text, or rendering fails. */
export type Delivery = 'shown' | 'given-up' | 'refused' | 'unclear' | 'unfinished';

/** Final state of an answer in the chat. */
export interface FinalAnswer {
  readonly text: string;
  readonly extras: MessageExtras;
  readonly keyboard: InlineKeyboardMarkup | undefined;
  /** The new answer is empty, so the previous one is shown. */
  readonly isOld: boolean;
  /** Lines below the text. Default none. */
  readonly status: string | undefined;
  /** The failure is one of them. */
  readonly showsFailure: boolean;
}

/** Initial messages and buttons of an answer. */
interface InitialMessages {
  readonly takenOverIds: readonly number[];
  readonly stopKeyboard: () => InlineKeyboardMarkup;
}

/** Opens the messages of an answer: new ones, or those of another answer that it replaces. */
export async function openDisplay(services: BotServices, run: AnswerRun): Promise<AnswerDisplay> {
  const takenOverIds = await claimMessages(services, run.answer);
  if (takenOverIds.length > 0) run.answer.place();
  return new AnswerDisplay(services, run, { takenOverIds, stopKeyboard: await createStopKeyboard(services, run) });
}

/** Messages that show an answer, from the first text to the last page. */
export class AnswerDisplay {
  /** Answer that owns the pages. */
  answerId: number;
  /** Changes when the group becomes a supergroup. */
  chatTopic: ChatTopic;
  readonly shownIds: Set<number>;
  readonly #services: BotServices;
  readonly #run: AnswerRun;
  readonly #streaming: UserSettings['streaming'];
  readonly #heading: string | undefined;
  readonly #undeliverable = new AbortController();
  readonly #reply: ReplyStream;
  readonly #stopButtonAdded: Promise<void>;
  readonly #stopTyping: () => void;
  #removableIds: readonly number[];

  constructor(services: BotServices, run: AnswerRun, initial: InitialMessages) {
    const { answer, deliverySignal, takeoverSignal } = run;
    this.answerId = answer.id;
    this.chatTopic = answer.chatTopic;
    this.shownIds = new Set([...answer.removedIds, ...initial.takenOverIds]);
    this.#services = services;
    this.#run = run;
    this.#streaming = findStreaming(services, answer);
    this.#heading = findHeading(services, toAnsweredQuestion(answer, answer.chatTopic));
    this.#removableIds = answer.removedIds;
    this.#reply = this.#open(initial);
    this.#stopButtonAdded = this.#addStopButton(initial);
    deliverySignal.addEventListener('abort', this.#abandon);
    takeoverSignal.addEventListener('abort', this.#abandon);
    if (takeoverSignal.aborted) this.#abandon();
    const typingTopic = { chatId: answer.chatTopic.chatId, topicId: answer.context.typingTopicId };
    this.#stopTyping = isQuiet(services, answer.question)
      ? () => {}
      : keepTyping(services, typingTopic, { afterMs: TYPING_AFTER_MS });
    if (answer.isShownAtOnce) this.update({ text: answer.prefix, shownReasoning: '', status: undefined });
  }

  /** Aborts when the chat accepts no messages. */
  get undeliverable(): AbortSignal {
    return this.#undeliverable.signal;
  }

  /** Shows the text so far, as far as the rate limit allows. */
  update({ text, shownReasoning, status }: Omit<AnswerSoFar, 'hasUsedTools'>): void {
    if (this.#streaming === 'whole') return;
    const hasBegun = text !== this.#run.answer.prefix;
    if (hasBegun && status === undefined) this.#stopTyping();
    const preface = withHeading(this.#heading, this.#toPrefaceSoFar(hasBegun, shownReasoning));
    this.#reply.update(text, { preface, status });
  }

  /** Returns the reasoning block: live reasoning until the answer has text, then folded. */
  #toPrefaceSoFar(hasBegun: boolean, shownReasoning: string): ReplyPreface {
    const { prefix, prefixExtras, context } = this.#run.answer;
    const title = findTitle(this.#services, prefixExtras);
    if (prefix !== '') return toPreface(title, prefixExtras.reasoning);
    if (hasBegun) return toPreface(title, shortenReasoning(shownReasoning));
    return toLivePreface(title, shownReasoning, context.texts.answers.thinking);
  }

  /** Brings the chat to exactly the final pages and buttons. */
  async deliver({ text, extras, keyboard, status }: FinalAnswer): Promise<Delivery> {
    const { answer } = this.#run;
    const { sources } = answer.context.texts.answers;
    // A late edit would overwrite the final buttons.
    await this.#stopButtonAdded;
    try {
      const list = text === '' ? '' : toSourceList(extras.sources ?? [], sources);
      const preface = withHeading(this.#heading, toPreface(findTitle(this.#services, extras), extras.reasoning));
      await this.#reply.finish(text + list, { keyboard, preface, status });
      return 'shown';
    } catch (error) {
      if (!(error instanceof ReplyUndeliverableError)) throw error;
      const { kind } = error.failure;
      this.#services.logger.warn({ failure: kind, answerId: answer.id }, 'an answer was only partly delivered');
      if (kind === 'unclear') return 'unclear';
      if (kind === 'rejected' || kind === 'foreign') return 'refused';
      return RETRYABLE.has(kind) ? 'unfinished' : 'given-up';
    }
  }

  /** Ends all calls. What is in the chat stays. */
  async close(): Promise<void> {
    this.#stopTyping();
    this.#run.deliverySignal.removeEventListener('abort', this.#abandon);
    this.#run.takeoverSignal.removeEventListener('abort', this.#abandon);
    await this.#reply.abandon();
  }

  readonly #abandon = () => void this.#reply.abandon();

  #open({ takenOverIds, stopKeyboard }: InitialMessages): ReplyStream {
    const services = this.#services;
    const { conversations } = services;
    const { answer, companions } = this.#run;
    const { isInChain = false, isGroup, chatTopic, user } = answer.context;
    const target = { ...chatTopic, isPrivate: !isGroup, isInChain, replyToMessageId: answer.replyTo };
    return new ReplyStream(services, target, {
      streamingKeyboard: stopKeyboard,
      initialMessageIds: takenOverIds,
      isReplacing: answer.isReplacing,
      sends: this.#findSends(),
      replyCount: companions.listBatch().length,
      draftId: this.#streaming === 'drafts' ? answer.id : undefined,
      // Tables and formulas as Telegram's rich blocks.
      richSupport: (user.settings.hasRichMessages ?? true) ? services.richSupport : undefined,
      findLostSend: (lost, signal) => findLostPage(services, lost, signal),
      onSending: ({ index, afterId }) => {
        const { chatId } = this.chatTopic;
        return conversations.planSend(this.answerId, { page: index, chatId, afterTelegramId: afterId });
      },
      onDelivered: ({ index, messageId }) => this.#onDelivered(index, messageId),
      onRemoved: async (messageId) => {
        this.shownIds.delete(messageId);
        await conversations.forgetDelivery(this.chatTopic.chatId, messageId);
      },
      onMoved: async (supergroupId) => {
        this.shownIds.clear();
        this.chatTopic = { chatId: supergroupId, topicId: undefined };
        await conversations.moveChat(chatTopic.chatId, supergroupId);
        await services.groups.move(chatTopic.chatId, supergroupId);
      },
      onUndeliverable: () => this.#undeliverable.abort(new WorkStoppedError('chat')),
    });
  }

  /** Returns the queue of sends. The first messages of compared answers are in the order of the models. */
  #findSends(): AnswerRun['companions']['sends'] {
    const { answer, companions } = this.#run;
    const { sends } = companions;
    const batch = companions.listBatch();
    const previous = batch[batch.indexOf(answer) - 1];
    if (!previous || this.#streaming === 'whole') return sends;
    return {
      async run(work, options) {
        await (options?.signal ? leaveOnAbort(previous.placed, options.signal) : previous.placed);
        return sends.run(work, options);
      },
    };
  }

  async #onDelivered(page: number, telegramMessageId: number): Promise<void> {
    const { chatId } = this.chatTopic;
    this.shownIds.add(telegramMessageId);
    await this.#services.conversations.recordDelivery(this.answerId, { chatId, telegramMessageId, page });
    this.#run.answer.place();
    const removedIds = this.#removableIds;
    this.#removableIds = [];
    await removeMessages(this.#services, this.chatTopic.chatId, removedIds, this.shownIds);
  }

  /**
   * Adds the Stop button to an answer that is being replaced or continued: until the first text arrives, it would look
   * finished.
   */
  async #addStopButton({ takenOverIds, stopKeyboard }: InitialMessages): Promise<void> {
    const { isReplacing, written, chatTopic } = this.#run.answer;
    const messageId = takenOverIds.at(-1);
    if (!isReplacing || written || messageId === undefined) return;
    await changeButtons(this.#services, { chatId: chatTopic.chatId, messageId }, stopKeyboard());
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

/** Returns how the chat shows the answer while it grows. */
function findStreaming(services: BotServices, { question, context, batch }: Answer): UserSettings['streaming'] {
  if (isQuiet(services, question)) return 'whole';
  if (context.isGroup) return 'edits';
  const { streaming } = context.user.settings;
  // A chat has one draft at a time.
  return batch !== undefined && streaming === 'drafts' ? 'edits' : streaming;
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
