import { InputFile } from 'grammy';
import type { Place } from '../../../core/conversations/index.ts';
import type { Speech } from '../../../core/models/index.ts';
import { sleep } from '../../../lib/clock.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { keepTyping } from '../../../telegram/typing.ts';
import { describeFailure, toFailure } from '../../failures/failure.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import { storeKeyboard } from '../../framework/keyboard.ts';
import { findGroup } from '../../groups/as-in-group.ts';
import { toCaller } from '../../groups/to-caller.ts';
import { findLostPage } from '../../sending/find-lost-page.ts';
import type { Texts } from '../../texts/locales.ts';
import type { SideJobSignals } from '../../work/side-jobs.ts';
import { texts } from './texts/index.ts';

/** Request to read an answer aloud. */
export interface VoiceOrder {
  readonly userId: number;
  readonly place: Place;
  readonly texts: Texts;
  /** Topic in which "recording" is shown. Unlike message sends, it names a forum's General topic. */
  readonly actionTopicId: number | undefined;
  readonly answerId: number;
  /** Text to speak; not blank. */
  readonly words: string;
  /** Last message of the answer. */
  readonly replyTo: number | undefined;
}

export type ReadingServices = Pick<
  BotDeps,
  | 'accounts'
  | 'arrivals'
  | 'client'
  | 'clock'
  | 'conversations'
  | 'groups'
  | 'interactions'
  | 'limits'
  | 'logger'
  | 'speech'
>;

const MOST_TRIES = 3;
const RETRY_MS = 2000;
const EXTENSIONS: { readonly [mediaType: string]: string } = {
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
};

/**
 * Synthesizes an answer and sends it as a voice message. Never throws; failures are reported with a button to try
 * again.
 */
export async function readAloud(
  deps: ReadingServices,
  order: VoiceOrder,
  { stop, over }: SideJobSignals,
  onSpoken: () => void,
): Promise<void> {
  const where = { chatId: order.place.chatId, topicId: order.actionTopicId };
  const stopAction = keepTyping(deps, where, { action: 'record_voice' });
  try {
    const caller = toCaller(deps, order, await findGroup(deps, order.place));
    const speech = await deps.speech.speak(caller, order.words, stop);
    onSpoken();
    await sendVoice(deps, order, speech, over);
  } catch (error) {
    if (stop.aborted || over.aborted) return;
    deps.logger.warn({ err: error, answerId: order.answerId }, 'an answer was not read aloud');
    stopAction();
    await tellFailure(deps, order, error, over).catch(() => {});
  } finally {
    stopAction();
  }
}

/** Searches the chat for a message whose send was not confirmed before it is sent again. @throws errors of Telegram. */
async function sendVoice(deps: ReadingServices, order: VoiceOrder, speech: Speech, over: AbortSignal): Promise<void> {
  const { chatId } = order.place;
  for (let tries = 1; ; tries++) {
    const afterId = deps.client.messageIds.newest(chatId);
    try {
      const file = new InputFile(speech.bytes, `voice.${EXTENSIONS[speech.mediaType] ?? 'ogg'}`);
      await deps.client.withPriority('final').sendVoice(chatId, file, toOptions(order, speech), toGrammySignal(over));
      return;
    } catch (error) {
      const { kind } = classifyTelegramError(error);
      const isPassing = kind === 'unclear' || kind === 'not-sent';
      if (!isPassing || tries === MOST_TRIES) throw error;
      if (kind === 'unclear') {
        const finding = await findLostPage(deps, { chatId, afterId }, over);
        if (typeof finding === 'number') return;
        if (finding !== 'absent') throw error;
      }
      await sleep(deps.clock, RETRY_MS, over);
    }
  }
}

function toOptions(order: VoiceOrder, { durationSeconds, isDemonstration }: Speech) {
  return {
    ...toPlaceOptions(order),
    ...(durationSeconds === undefined ? {} : { duration: durationSeconds }),
    ...(isDemonstration ? { caption: texts[order.texts.locale].demonstration } : {}),
    // The answer itself has already caused a notification.
    disable_notification: true,
  };
}

function toPlaceOptions({ place: { topicId }, replyTo }: VoiceOrder) {
  return {
    ...(topicId === undefined ? {} : { message_thread_id: topicId }),
    ...(replyTo === undefined ? {} : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
  };
}

async function tellFailure(deps: ReadingServices, order: VoiceOrder, error: unknown, over: AbortSignal): Promise<void> {
  const { userId, answerId, place } = order;
  const again = { text: order.texts.buttons.retry, action: { kind: 'retry-reading-aloud', answerId } } as const;
  const options = {
    ...toPlaceOptions(order),
    reply_markup: await storeKeyboard(deps, { userId, chatId: place.chatId }, [[again]]),
  };
  const text = describe(order.texts, error);
  await deps.client.api.sendMessage(order.place.chatId, text, options, toGrammySignal(over));
}

/** Describes a failure. Only limits are described in detail: the user has not chosen the speech provider. */
function describe(shared: Texts, error: unknown): string {
  const refusal = classifyTelegramError(error);
  if (refusal.kind === 'rejected' && /VOICE_MESSAGES_FORBIDDEN/i.test(refusal.description))
    return texts[shared.locale].forbidden;
  const failure = toFailure(error);
  return failure.kind === 'limitReached' ? describeFailure(shared, failure, '') : texts[shared.locale].failed;
}
