import type { InlineKeyboardMarkup } from 'grammy/types';
import type { CallPriority } from '../telegram/flood-control.ts';
import type { BotDeps } from './bot-deps.ts';

/**
 * Changes what can be pressed below a message, or takes it away. Never fails.
 * @param priority default `typing`: at once or not at all.
 */
export async function changeButtons(
  deps: Pick<BotDeps, 'client' | 'logger'>,
  { chatId, messageId }: { readonly chatId: number; readonly messageId: number },
  keyboard?: InlineKeyboardMarkup,
  priority: CallPriority = 'typing',
): Promise<void> {
  const options = keyboard ? { reply_markup: keyboard } : {};
  try {
    await deps.client.withPriority(priority).editMessageReplyMarkup(chatId, messageId, options);
  } catch (error) {
    deps.logger.debug({ err: error, chatId }, 'buttons stay as they are');
  }
}
