import { InputFile } from 'grammy';
import type { Place } from '../../../core/conversations/index.ts';
import type { Speech } from '../../../core/models/index.ts';
import { sleep } from '../../../lib/clock.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { keepTyping } from '../../../telegram/typing.ts';
import { describeFailure, toFailure } from '../../failures/failure.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import { offerKeyboard } from '../../framework/keyboard.ts';
import { findGroup } from '../../groups/as-in-group.ts';
import { toCaller } from '../../groups/to-caller.ts';
import { findLostPage } from '../../sending/find-lost-page.ts';
import type { Texts } from '../../texts/locales.ts';
import type { SideJobSignals } from '../../work/side-jobs.ts';
import { texts } from './texts/index.ts';

/** An answer that somebody wants to hear. */
export interface VoiceOrder {
  readonly userId: number;
  readonly place: Place;
  readonly texts: Texts;
  /** The topic in which "recording" is shown: unlike sends it names a forum's General topic. */
  readonly actionTopicId: number | undefined;
  readonly answerId: number;
  /** What is to be said: not blank. */
  readonly words: string;
  /** The message that shows the end of the answer. */
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

/** Has an answer read aloud and sends it as a voice message. Never throws; what goes wrong is told, with a button to try again. */
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

/** A send whose answer was lost is looked for before it is made again. @throws what Telegram refuses. */
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
    // What is said has come before, with a sound.
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
  const again = { text: order.texts.buttons.retry, choice: { kind: 'retry-reading-aloud', answerId } } as const;
  const options = {
    ...toPlaceOptions(order),
    reply_markup: await offerKeyboard(deps, { userId, chatId: place.chatId }, [[again]]),
  };
  const text = describe(order.texts, error);
  await deps.client.api.sendMessage(order.place.chatId, text, options, toGrammySignal(over));
}

/** A limit is about the person; everything else is about whoever speaks, and people have not chosen them. */
function describe(shared: Texts, error: unknown): string {
  const refusal = classifyTelegramError(error);
  if (refusal.kind === 'rejected' && /VOICE_MESSAGES_FORBIDDEN/i.test(refusal.description))
    return texts[shared.locale].forbidden;
  const failure = toFailure(error);
  return failure.kind === 'limitReached' ? describeFailure(shared, failure, '') : texts[shared.locale].failed;
}
