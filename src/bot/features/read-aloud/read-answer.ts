import { InputFile } from 'grammy';
import type { ChatTopic } from '../../../core/conversations/index.ts';
import type { Speech } from '../../../core/models/index.ts';
import { sleep } from '../../../lib/clock.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { keepTyping } from '../../../telegram/typing.ts';
import { describeFailure, toFailure } from '../../failures/failure.ts';
import { findGroup, toRequester } from '../../groups/groups.ts';
import { toSendOptions } from '../../kit/chats.ts';
import { storeKeyboard } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { findLostPage } from '../../sending/send-whenever.ts';
import type { Texts } from '../../texts/locales.ts';
import type { SideJobSignals } from '../../work/side-jobs.ts';
import { texts } from './texts.ts';

/** Request to read an answer aloud. */
export interface VoiceOptions {
  readonly userId: number;
  readonly chatTopic: ChatTopic;
  readonly texts: Texts;
  /** Topic in which "recording" is shown. Unlike message sends, it names a forum's General topic. */
  readonly typingTopicId: number | undefined;
  readonly answerId: number;
  /** Text to speak; not blank. */
  readonly words: string;
  /** Last message of the answer. */
  readonly replyTo: number | undefined;
}

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
  services: BotServices,
  options: VoiceOptions,
  { stop, deliverySignal }: SideJobSignals,
  onSpoken: () => void,
): Promise<void> {
  const where = { chatId: options.chatTopic.chatId, topicId: options.typingTopicId };
  const stopAction = keepTyping(services, where, { action: 'record_voice' });
  try {
    const requester = toRequester(services, options, await findGroup(services, options.chatTopic));
    const speech = await services.speech.speak(requester, options.words, stop);
    onSpoken();
    await sendVoice(services, options, speech, deliverySignal);
  } catch (error) {
    if (stop.aborted || deliverySignal.aborted) return;
    services.logger.warn({ err: error, answerId: options.answerId }, 'an answer was not read aloud');
    stopAction();
    await reportFailure(services, options, error, deliverySignal).catch(() => {});
  } finally {
    stopAction();
  }
}

/** Searches the chat for a message whose send was not confirmed before it is sent again. @throws errors of Telegram. */
async function sendVoice(
  services: BotServices,
  options: VoiceOptions,
  speech: Speech,
  deliverySignal: AbortSignal,
): Promise<void> {
  const { chatId } = options.chatTopic;
  for (let tries = 1; ; tries++) {
    const afterId = services.client.messageIds.newest(chatId);
    try {
      const file = new InputFile(speech.bytes, `voice.${EXTENSIONS[speech.mediaType] ?? 'ogg'}`);
      await services.client
        .withPriority('final')
        .sendVoice(chatId, file, toOptions(options, speech), toGrammySignal(deliverySignal));
      return;
    } catch (error) {
      const { kind } = classifyTelegramError(error);
      const isPassing = kind === 'unclear' || kind === 'not-sent';
      if (!isPassing || tries === MOST_TRIES) throw error;
      if (kind === 'unclear') {
        const finding = await findLostPage(services, { chatId, afterId }, deliverySignal);
        if (typeof finding === 'number') return;
        if (finding !== 'absent') throw error;
      }
      await sleep(services.clock, RETRY_MS, deliverySignal);
    }
  }
}

function toOptions(options: VoiceOptions, { durationSeconds, isDemonstration }: Speech) {
  return {
    ...toSendOptions(options.chatTopic, options.replyTo),
    ...(durationSeconds === undefined ? {} : { duration: durationSeconds }),
    ...(isDemonstration ? { caption: texts[options.texts.locale].demonstration } : {}),
    // The answer itself has already caused a notification.
    disable_notification: true,
  };
}

async function reportFailure(
  services: BotServices,
  options: VoiceOptions,
  error: unknown,
  deliverySignal: AbortSignal,
): Promise<void> {
  const { userId, answerId, chatTopic } = options;
  const again = { text: options.texts.buttons.retry, action: { kind: 'retry-reading-aloud', answerId } } as const;
  const sendOptions = {
    ...toSendOptions(options.chatTopic, options.replyTo),
    reply_markup: await storeKeyboard(services, { userId, chatId: chatTopic.chatId }, [[again]]),
  };
  const text = describe(options.texts, error);
  await services.client.api.sendMessage(options.chatTopic.chatId, text, sendOptions, toGrammySignal(deliverySignal));
}

/** Describes a failure. Only limits are described in detail: the user has not chosen the speech provider. */
function describe(shared: Texts, error: unknown): string {
  const refusal = classifyTelegramError(error);
  if (refusal.kind === 'rejected' && /VOICE_MESSAGES_FORBIDDEN/i.test(refusal.description))
    return texts[shared.locale].forbidden;
  const failure = toFailure(error);
  return failure.kind === 'limitReached' || failure.kind === 'budgetReached'
    ? describeFailure(shared, failure, '')
    : texts[shared.locale].failed;
}
