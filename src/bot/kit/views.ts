import type { InlineKeyboardMarkup, MessageEntity, ReactionTypeEmoji } from 'grammy/types';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { BotContext } from './context.ts';
import type { BotServices } from './services.ts';

/** Message of the bot that is not an answer: a menu, a notice, a setting. */
export interface View {
  readonly text: string;
  readonly entities?: readonly MessageEntity[];
  readonly keyboard?: InlineKeyboardMarkup | undefined;
}

/** Edits the message whose button was pressed, or sends a new message. */
export async function showView(ctx: BotContext, view: View): Promise<void> {
  const options = {
    entities: [...(view.entities ?? [])],
    link_preview_options: { is_disabled: true },
    ...(view.keyboard && { reply_markup: view.keyboard }),
  };
  if (ctx.callbackQuery?.message) {
    try {
      await ctx.editMessageText(view.text, options);
      return;
    } catch (error) {
      const { kind } = classifyTelegramError(error);
      if (kind === 'not-modified') return;
      if (kind !== 'message-gone') throw error;
    }
  }
  await ctx.reply(view.text, options);
}

/** Deletes the message whose button was pressed; if Telegram refuses (after 48 hours), removes its buttons. */
export async function closeView(ctx: BotContext): Promise<void> {
  try {
    await ctx.deleteMessage();
  } catch (error) {
    const failure = classifyTelegramError(error);
    if (failure.kind === 'message-gone' && !failure.mayRemain) return;
    await ctx.editMessageReplyMarkup().catch(() => {});
  }
}

/**
 * Returns entities for the first occurrence of each part in the text. Keeps Telegram from creating links from model
 * names.
 */
export function markParts(
  text: string,
  type: 'code' | 'bold' | 'expandable_blockquote',
  ...parts: readonly string[]
): readonly MessageEntity[] {
  return parts.flatMap((part) => {
    const offset = text.indexOf(part);
    return part === '' || offset < 0 ? [] : [{ type, offset, length: part.length }];
  });
}

/** Line of text with one formatted range. */
export interface Line {
  readonly text: string;
  readonly mark?:
    | { readonly type: 'code' | 'spoiler'; readonly from: number; readonly length: number }
    | { readonly type: 'text_link'; readonly url: string; readonly from: number; readonly length: number };
}

/** Joins lines to one text with their entities. */
export function joinLines(lines: readonly Line[]): { text: string; entities: readonly MessageEntity[] } {
  const entities: MessageEntity[] = [];
  let text = '';
  for (const [index, line] of lines.entries()) {
    if (index > 0) text += '\n';
    if (line.mark) {
      const { from, ...mark } = line.mark;
      entities.push({ ...mark, offset: text.length + from });
    }
    text += line.text;
  }
  return { text, entities };
}

/** Returns a name as a line of its own, so that right-to-left names do not affect other text. */
export function toNameLine(name: string): Line {
  // Code formatting: Telegram would create a link from a name such as README.md.
  return { text: name, mark: { type: 'code', from: 0, length: name.length } };
}

/** Returns a key as a spoiler. */
export function toKeyLine(key: string): Line {
  return { text: key, mark: { type: 'spoiler', from: 0, length: key.length } };
}

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

/** Replies in a group with a button that opens the user's private chat with the bot. */
export async function leadToPrivate(ctx: BotContext, text: string): Promise<void> {
  await ctx.reply(text, { reply_markup: toWayToPrivate(ctx) });
}

/** Returns a button that opens the private chat with the bot. */
export function toWayToPrivate({ texts, me }: BotContext): InlineKeyboardMarkup {
  return { inline_keyboard: [[{ text: texts.buttons.privateChat, url: `https://t.me/${me.username}` }]] };
}

/** Sets the bot's reaction to a message if the rate limit allows it now. Never throws: groups may forbid reactions. */
export async function react(
  { client, logger }: BotServices,
  { chatId, messageId }: { readonly chatId: number; readonly messageId: number },
  emoji: ReactionTypeEmoji['emoji'],
): Promise<void> {
  try {
    await client.withPriority('typing').setMessageReaction(chatId, messageId, [{ type: 'emoji', emoji }]);
  } catch (error) {
    logger.debug({ err: error, chatId }, 'a reaction could not be set');
  }
}
