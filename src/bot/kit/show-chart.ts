import { InputFile } from 'grammy';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { BotContext } from './context.ts';
import { showView, type View } from './views.ts';

/** An image in PNG. */
export interface ChartFile {
  readonly bytes: Buffer;
  readonly name: string;
}

/** Telegram's limit for a caption. */
const MAX_CAPTION = 1024;

/** Sends a view below a chart; a text that is too long for a caption, or has no chart, is a message of its own. */
export async function sendChart(ctx: BotContext, chart: ChartFile | undefined, view: View): Promise<void> {
  if (!chart) return showView(ctx, view);
  await ctx.replyWithPhoto(toInputFile(chart), { ...toCaption(view), ...toMarkup(view) });
  if (!fitsCaption(view)) await ctx.reply(view.text, { entities: [...(view.entities ?? [])] });
}

/** Replaces the chart in the message whose button was pressed, or sends a new message if it is gone. */
export async function replaceChart(ctx: BotContext, chart: ChartFile, view: View): Promise<void> {
  try {
    await ctx.editMessageMedia({ type: 'photo', media: toInputFile(chart), ...toCaption(view) }, toMarkup(view));
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (kind === 'not-modified') return;
    if (kind !== 'message-gone') throw error;
    await sendChart(ctx, chart, view);
  }
}

/** Returns the view as the caption of a photo; nothing if it is too long. */
export function toCaption(view: View) {
  return fitsCaption(view) ? { caption: view.text, caption_entities: [...(view.entities ?? [])] } : {};
}

function fitsCaption({ text }: View): boolean {
  return text.length <= MAX_CAPTION;
}

function toMarkup({ keyboard }: View) {
  return keyboard ? { reply_markup: keyboard } : {};
}

function toInputFile({ bytes, name }: ChartFile): InputFile {
  return new InputFile(bytes, name);
}
