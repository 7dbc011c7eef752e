import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import type { View } from '../framework/view.ts';
import { sendWhenever } from '../sending/send-whenever.ts';
import type { AnswerJob } from './answer-job.ts';

/**
 * Sends a message about an answer to the user who asked, and retries while Telegram is not reachable. Never throws.
 * @param createView called once before the first attempt.
 * @returns false if the signal aborted it and another process has to send the message.
 */
export async function sendAboutAnswer(
  deps: Pick<BotDeps, 'arrivals' | 'client' | 'clock' | 'conversations' | 'logger'>,
  { chatTopic, replyToMessageId, answerId }: Pick<AnswerJob, 'chatTopic' | 'replyToMessageId' | 'answerId'>,
  createView: () => Promise<View>,
  signal: AbortSignal,
): Promise<boolean> {
  const { chatId, topicId } = chatTopic;
  try {
    const { text, entities = [], keyboard } = await createView();
    const options = {
      entities: [...entities],
      ...(keyboard && { reply_markup: keyboard }),
      // A preview would send a request to the address.
      link_preview_options: { is_disabled: true },
      ...(topicId === undefined ? {} : { message_thread_id: topicId }),
      ...(replyToMessageId === undefined
        ? {}
        : { reply_parameters: { message_id: replyToMessageId, allow_sending_without_reply: true } }),
    };
    await sendWhenever(deps, { chatId, isRepeatable: false }, signal, () =>
      deps.client.api.sendMessage(chatId, text, options, toGrammySignal(signal)),
    );
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    const { kind } = classifyTelegramError(error);
    deps.logger[kind === 'blocked' ? 'info' : 'warn'](
      { err: error, answerId },
      'a message about an answer could not be sent',
    );
    return true;
  }
}
