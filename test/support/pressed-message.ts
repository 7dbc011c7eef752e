import type { InlineKeyboardMarkup } from 'grammy/types';

/** Returns a message of the bot with one button, as it occurs in a callback query. */
export function withButton<Message extends object>(
  message: Message | undefined,
  data: string,
): Message & { readonly reply_markup: InlineKeyboardMarkup } {
  if (!message) throw new Error('there is no message to press a button of');
  return { ...message, reply_markup: { inline_keyboard: [[{ text: 'Press', callback_data: data }]] } };
}
