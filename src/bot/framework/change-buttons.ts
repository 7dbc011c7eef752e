import type { InlineKeyboardMarkup } from 'grammy/types';
import type { BotDeps } from './bot-deps.ts';

/** Changes what can be pressed below a message, now: somebody waits to see it. Never fails. */
export async function changeButtons(
  deps: Pick<BotDeps, 'client' | 'logger'>,
  { chatId, messageId }: { readonly chatId: number; readonly messageId: number },
  keyboard: InlineKeyboardMarkup,
): Promise<void> {
  try {
    await deps.client.api.editMessageReplyMarkup(chatId, messageId, { reply_markup: keyboard });
  } catch (error) {
    deps.logger.debug({ err: error, chatId }, 'buttons stay as they are');
  }
}
