import type { InlineKeyboardMarkup, MessageEntity } from 'grammy/types';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { BotContext } from './context.ts';

/** A message of the bot's own: a menu, a hint, a setting. */
export interface View {
  readonly text: string;
  readonly entities?: readonly MessageEntity[];
  readonly keyboard?: InlineKeyboardMarkup | undefined;
}

/** A line of text with what is set apart in it. */
export interface Line {
  readonly text: string;
  readonly mark?:
    | { readonly type: 'code' | 'spoiler'; readonly from: number; readonly length: number }
    | { readonly type: 'text_link'; readonly url: string; readonly from: number; readonly length: number };
}

/** Shows a view in the message whose button was pressed, or in a new message. */
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

/** Removes the message whose button was pressed; where Telegram refuses (after 48 hours), at least its buttons. */
export async function closeView(ctx: BotContext): Promise<void> {
  try {
    await ctx.deleteMessage();
  } catch (error) {
    const failure = classifyTelegramError(error);
    if (failure.kind === 'message-gone' && !failure.mayRemain) return;
    await ctx.editMessageReplyMarkup().catch(() => {});
  }
}

/** Entities that set each of the given pieces of a text apart, where they stand first. Keeps Telegram from making links of model names. */
export function markPieces(
  text: string,
  type: 'code' | 'expandable_blockquote',
  ...pieces: readonly string[]
): readonly MessageEntity[] {
  return pieces.flatMap((piece) => {
    const offset = text.indexOf(piece);
    return piece === '' || offset < 0 ? [] : [{ type, offset, length: piece.length }];
  });
}

/** Lines as one text, with entities where they stand. */
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

/** A name in a line of its own: right-to-left names turn nothing else around. */
export function toNameLine(name: string): Line {
  // As code: Telegram would take README.md for an address.
  return { text: name, mark: { type: 'code', from: 0, length: name.length } };
}

/** A key, covered until it is touched. */
export function toKeyLine(key: string): Line {
  return { text: key, mark: { type: 'spoiler', from: 0, length: key.length } };
}
