import type { InlineKeyboardMarkup } from 'grammy/types';
import type { BotContext } from './context.ts';

/** Says in a group that something is between the person and the bot, with the way into their private chat. */
export async function leadToPrivate(ctx: BotContext, text: string): Promise<void> {
  await ctx.reply(text, { reply_markup: toWayToPrivate(ctx) });
}

/** A button that leads whoever presses it into their private chat with the bot. */
export function toWayToPrivate({ texts, me }: BotContext): InlineKeyboardMarkup {
  return { inline_keyboard: [[{ text: texts.buttons.privateChat, url: `https://t.me/${me.username}` }]] };
}
