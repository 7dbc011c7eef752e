import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { toSendOptions } from '../kit/chats.ts';
import type { BotServices } from '../kit/services.ts';
import type { View } from '../kit/views.ts';
import type { AnswerRequest } from './answer-request.ts';

const TIMEOUT_MS = 30_000;

/**
 * Sends a notice about a question as a separate message, because an answer contains only text of the model. Never
 * throws.
 */
export async function addContext(
  services: BotServices,
  { chatTopic, replyToMessageId }: Pick<AnswerRequest, 'chatTopic' | 'replyToMessageId'>,
  view: View,
): Promise<void> {
  const options = {
    entities: [...(view.entities ?? [])],
    ...(view.keyboard && { reply_markup: view.keyboard }),
    link_preview_options: { is_disabled: true },
    ...toSendOptions(chatTopic, replyToMessageId),
  };
  try {
    const signal = toGrammySignal(AbortSignal.timeout(TIMEOUT_MS));
    await services.client.api.sendMessage(chatTopic.chatId, view.text, options, signal);
  } catch (error) {
    services.logger.info({ err: error }, 'a notice about a question could not be delivered');
  }
}
