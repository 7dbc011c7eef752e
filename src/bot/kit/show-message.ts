import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { BotContext } from './context.ts';

/**
 * Leads to a message of this chat by a reply to it, in its topic: only messages of supergroups have links.
 * @returns false if the message was deleted.
 */
export async function showMessage(
  { api, chatId = 0 }: BotContext,
  telegramMessageId: number,
  text: string,
): Promise<boolean> {
  try {
    await api.sendMessage(chatId, text, {
      reply_parameters: { message_id: telegramMessageId },
      link_preview_options: { is_disabled: true },
    });
    return true;
  } catch (error) {
    if (classifyTelegramError(error).kind !== 'reply-target-gone') throw error;
    return false;
  }
}
