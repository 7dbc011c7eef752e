import { InputFile } from 'grammy';
import type { ChatTopic } from '../../../core/conversations/index.ts';
import type { Job, JobRefusal } from '../../../core/jobs/index.ts';
import { MAX_SPOKEN_CHARACTERS, type Speech } from '../../../core/models/index.ts';
import { sleep } from '../../../lib/clock.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import { toSpeechText } from '../../../telegram/markdown/index.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { keepTyping } from '../../../telegram/typing.ts';
import type { Answer } from '../../answers/answer.ts';
import { findGroup, toRequester } from '../../choices/groups.ts';
import { toSendOptions } from '../../kit/chats.ts';
import { describeFailure, toFailure } from '../../kit/failure.ts';
import type { BotJobKind } from '../../kit/feature.ts';
import { storeKeyboard } from '../../kit/keyboards.ts';
import { findLostPage } from '../../kit/send-whenever.ts';
import type { BotServices } from '../../kit/services.ts';
import type { Texts } from '../../texts/locales.ts';
import { texts } from './texts.ts';

/** Messages that read answers aloud. After a crash one is either sent or lost, and the button remains. */
export const voiceKind: BotJobKind = {
  name: 'voice',
  maxJobs: 200,
  maxUserJobs: 3,
  describeStopped: (count, locale) => texts[locale].stopped(count),
};

/**
 * Starts to read an answer aloud in the chat and topic of its messages.
 * @param markdown the answer.
 * @returns `empty` if there is nothing to speak.
 */
export function startReadingAloud(
  services: BotServices,
  request: Omit<VoiceRequest, 'words'>,
  markdown: string,
): 'started' | 'empty' | JobRefusal {
  const words = toWords(markdown, request.texts);
  if (words === '') return 'empty';
  const { userId, chatTopic, answerId } = request;
  const key = `answer:${answerId}`;
  return services.jobs.start(voiceKind, { key, userId, chatTopic }, (job) =>
    readAnswerAloud(services, { ...request, words }, job),
  );
}

/**
 * Converts an answer to speakable text; empty if there is nothing to speak. A text that is too long ends after a
 * sentence, with a note.
 */
function toWords(markdown: string, { locale }: Texts): string {
  const { signs, rest } = texts[locale];
  const words = toSpeechText(markdown, signs);
  if (words.length <= MAX_SPOKEN_CHARACTERS) return words;
  const shortened = words.slice(0, MAX_SPOKEN_CHARACTERS - rest.length - 2).toWellFormed();
  return `${shortened.slice(0, findEnd(shortened))}\n\n${rest}`;
}

/** Returns the position after the last sentence in the second half, otherwise after the last word. */
function findEnd(text: string): number {
  const ends = [...text.matchAll(/[.!?…。！？](?=\s)|\n/g)].map((found) => found.index + 1);
  const end = ends.at(-1) ?? 0;
  if (end > text.length / 2) return end;
  const space = text.lastIndexOf(' ');
  return space > text.length / 2 ? space : text.length;
}

/** Request to read an answer aloud. */
interface VoiceRequest {
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

const MAX_TRIES = 3;
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
async function readAnswerAloud(services: BotServices, request: VoiceRequest, job: Job): Promise<void> {
  const { stopSignal, deliverySignal } = job;
  const where = { chatId: request.chatTopic.chatId, topicId: request.typingTopicId };
  const stopAction = keepTyping(services, where, { action: 'record_voice' });
  try {
    const requester = toRequester(services, request, await findGroup(services, request.chatTopic));
    const speech = await services.speech.speak(requester, request.words, stopSignal);
    job.isStoppable = false;
    await sendVoice(services, request, speech, deliverySignal);
  } catch (error) {
    if (stopSignal.aborted || deliverySignal.aborted) return;
    services.logger.warn({ err: error, answerId: request.answerId }, 'an answer was not read aloud');
    stopAction();
    await reportFailure(services, request, error, deliverySignal).catch(() => {});
  } finally {
    stopAction();
  }
}

/** Searches the chat for a message whose send was not confirmed before it is sent again. @throws errors of Telegram. */
async function sendVoice(
  services: BotServices,
  request: VoiceRequest,
  speech: Speech,
  deliverySignal: AbortSignal,
): Promise<void> {
  const { chatId } = request.chatTopic;
  for (let tries = 1; ; tries++) {
    const afterId = services.client.messageIds.newest(chatId);
    try {
      const file = new InputFile(speech.bytes, `voice.${EXTENSIONS[speech.mediaType] ?? 'ogg'}`);
      await services.client
        .withPriority('final')
        .sendVoice(chatId, file, toOptions(request, speech), toGrammySignal(deliverySignal));
      return;
    } catch (error) {
      const { kind } = classifyTelegramError(error);
      const isPassing = kind === 'unclear' || kind === 'not-sent';
      if (!isPassing || tries === MAX_TRIES) throw error;
      if (kind === 'unclear') {
        const finding = await findLostPage(services, { chatId, afterId }, deliverySignal);
        if (typeof finding === 'number') return;
        if (finding !== 'absent') throw error;
      }
      await sleep(services.clock, RETRY_MS, deliverySignal);
    }
  }
}

function toOptions(request: VoiceRequest, { durationSeconds, isDemonstration }: Speech) {
  return {
    ...toSendOptions(request.chatTopic, request.replyTo),
    ...(durationSeconds === undefined ? {} : { duration: durationSeconds }),
    ...(isDemonstration ? { caption: texts[request.texts.locale].demonstration } : {}),
    // The answer itself has already caused a notification.
    disable_notification: true,
  };
}

async function reportFailure(
  services: BotServices,
  request: VoiceRequest,
  error: unknown,
  deliverySignal: AbortSignal,
): Promise<void> {
  const { userId, answerId, chatTopic } = request;
  const again = { text: request.texts.buttons.retry, action: { kind: 'retry-reading-aloud', answerId } } as const;
  const sendOptions = {
    ...toSendOptions(request.chatTopic, request.replyTo),
    reply_markup: await storeKeyboard(services, { userId, chatId: chatTopic.chatId }, [[again]]),
  };
  const text = describe(request.texts, error);
  await services.client.api.sendMessage(request.chatTopic.chatId, text, sendOptions, toGrammySignal(deliverySignal));
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

/** Finish reasons of answers to read aloud; a stopped answer is not. */
const FINISHED: ReadonlySet<string> = new Set(['stop', 'length']);

/** Reads a new answer aloud if the user's settings say so; in private chats only. Never throws. */
export async function speakAnswer(
  services: BotServices,
  { id: answerId, userId, chatTopic, context, question, written, batch }: Answer,
): Promise<void> {
  const { voiceReplies } = context.user.settings;
  const isSpokenTo = question.attachments.some(({ kind }) => kind === 'recording');
  const isWanted = voiceReplies === 'always' || (voiceReplies === 'to-voice' && isSpokenTo);
  // A stored answer that is shown again is not read aloud again, and of several answers none.
  if (!isWanted || context.isGroup || written || batch !== undefined || !services.speech.isAvailable()) return;
  try {
    const answer = await services.conversations.findMessage(answerId);
    if (!answer || !FINISHED.has(answer.finishReason ?? '')) return;
    const { texts, typingTopicId } = context;
    const request = { userId, chatTopic, texts, typingTopicId, answerId, replyTo: undefined };
    startReadingAloud(services, request, answer.content);
  } catch (error) {
    services.logger.warn({ err: error, answerId }, 'an answer could not be converted to speech');
  }
}
