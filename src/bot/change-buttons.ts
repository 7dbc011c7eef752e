import type { InlineKeyboardMarkup } from 'grammy/types';
import type { BotDeps } from './bot-deps.ts';

/** Changes what can be pressed below a message, or takes it away. Passing: at once or not at all, and it never fails. */
export async function changeButtons(
  deps: Pick<BotDeps, 'client' | 'logger'>,
  { chatId, messageId }: { readonly chatId: number; readonly messageId: number },
  keyboard?: InlineKeyboardMarkup,
): Promise<void> {
  const options = keyboard ? { reply_markup: keyboard } : {};
  try {
    await deps.client.withPriority('typing').editMessageReplyMarkup(chatId, messageId, options);
  } catch (error) {
    deps.logger.debug({ err: error, chatId }, 'buttons stay as they are');
  }
}
