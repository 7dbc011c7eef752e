import type { InlineKeyboardMarkup } from 'grammy/types';
import type { BotContext } from './context.ts';

/** Replies in a group with a button that opens the user's private chat with the bot. */
export async function leadToPrivate(ctx: BotContext, text: string): Promise<void> {
  await ctx.reply(text, { reply_markup: toWayToPrivate(ctx) });
}

/** Returns a button that opens the private chat with the bot. */
export function toWayToPrivate({ texts, me }: BotContext): InlineKeyboardMarkup {
  return { inline_keyboard: [[{ text: texts.buttons.privateChat, url: `https://t.me/${me.username}` }]] };
}
