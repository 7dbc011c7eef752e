import type { BotContext } from '../../kit/context.ts';
import type { KeyboardButton } from '../../kit/keyboards.ts';
import { canOpenMiniApp } from '../../kit/profile.ts';
import type { BotServices } from '../../kit/services.ts';
import { texts } from './texts.ts';

/**
 * Returns rows of buttons that open the console, and what to say about them. Where Telegram opens no Mini App, there are
 * none, and the text has the link.
 * @param page address of one of its pages, such as `keys/12`. Default: the first one.
 */
export async function toConsoleLink(
  { consoleUrl, sessions }: BotServices,
  ctx: BotContext,
  page?: string,
): Promise<{ readonly text: string; readonly rows: readonly (readonly KeyboardButton[])[] }> {
  const words = texts[ctx.locale];
  const { code } = await sessions.createCode(ctx.user.id);
  const url = page === undefined ? consoleUrl : `${consoleUrl}?page=${page}`;
  // Telegram fetches links for their preview. It never sees the part after #, so the code stays unused.
  const link = `${url}#code=${code}`;
  if (!canOpenMiniApp(consoleUrl)) return { text: [words.noMiniApp, link, words.linkRules].join('\n\n'), rows: [] };
  return {
    text: words.linkRules,
    rows: [[{ text: words.open, web_app: { url } }], [{ text: words.inBrowser, url: link }]],
  };
}
