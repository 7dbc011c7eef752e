import type { InlineKeyboardMarkup } from 'grammy/types';
import type { BotDeps } from './bot-deps.ts';

/** Replaces the buttons below a message at interactive priority. Never throws. */
export async function changeButtons(
  deps: Pick<BotDeps, 'client' | 'logger'>,
  { chatId, messageId }: { readonly chatId: number; readonly messageId: number },
  keyboard: InlineKeyboardMarkup,
): Promise<void> {
  try {
    await deps.client.api.editMessageReplyMarkup(chatId, messageId, { reply_markup: keyboard });
  } catch (error) {
    deps.logger.debug({ err: error, chatId }, 'buttons could not be changed');
  }
}
