import type { InlineKeyboardMarkup } from 'grammy/types';
import type { BotServices } from './services.ts';

/** Replaces the buttons below a message at interactive priority. Never throws. */
export async function changeButtons(
  services: BotServices,
  { chatId, messageId }: { readonly chatId: number; readonly messageId: number },
  keyboard: InlineKeyboardMarkup,
): Promise<void> {
  try {
    await services.client.api.editMessageReplyMarkup(chatId, messageId, { reply_markup: keyboard });
  } catch (error) {
    services.logger.debug({ err: error, chatId }, 'buttons could not be changed');
  }
}
