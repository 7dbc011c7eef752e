import { Composer } from 'grammy';
import { defineTexts } from '../../texts/define-texts.ts';
import { storeGuess } from '../choices/time-zones.ts';
import { isPrivate } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { Feature, FeatureHandlers } from '../kit/feature.ts';
import { type KeyboardButton, storeKeyboard, toButtonTarget } from '../kit/keyboards.ts';
import { canOpenMiniApp } from '../kit/profile.ts';
import type { BotServices } from '../kit/services.ts';
import { leadToPrivate, showView } from '../kit/views.ts';

/** `/console`: opens the web app, in Telegram and in a browser. Private chats only. */
export const webConsole: Feature = {
  commands: [{ name: 'console', menus: ['private'], describe: (locale) => texts[locale].command }],
  create: createHandlers,
};

function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('console', async (ctx) => {
    const words = texts[ctx.locale];
    if (!isPrivate(ctx)) return leadToPrivate(ctx, words.onlyPrivate);
    await storeGuess(services, ctx.user, ctx.from?.language_code);
    const about = ctx.user.role === 'admin' ? words.aboutAdmin : words.about;
    const { text, rows } = await toConsoleLink(services, ctx);
    await showView(ctx, {
      text: `${about}\n\n${text}`,
      keyboard: rows.length === 0 ? undefined : await storeKeyboard(services, toButtonTarget(ctx), rows),
    });
  });
  return { middleware: composer };
}

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

export const texts = defineTexts({
  en: {
    command: 'All of this in your browser',
    onlyPrivate: 'The console shows your data, so I open it in our private chat.',
    about: 'The console: your usage, keys, files and settings on one page.',
    aboutAdmin: 'Console: your data, and the administration of this service.',
    open: 'Open here',
    inBrowser: 'Open in a browser',
    linkRules: 'The link for the browser works once, within five minutes. Don’t pass it on: it signs in as you.',
    noMiniApp: 'Open it in a browser. (Inside Telegram it needs an https address: PUBLIC_URL.)',
  },
  ru: {
    command: 'Всё это на веб-странице',
    onlyPrivate: 'В консоли видно то, что принадлежит вам, поэтому я открываю её в личном чате.',
    about: 'Консоль: ваш расход, ключи, файлы и настройки на одной странице.',
    aboutAdmin: 'Консоль: всё ваше и управление этим сервисом.',
    open: 'Открыть здесь',
    inBrowser: 'Открыть в браузере',
    linkRules:
      'Ссылка для браузера действует один раз в течение пяти минут. Не передавайте её: по ней входят от вашего имени.',
    noMiniApp:
      'Она открывается только в браузере: Telegram показывает страницы по адресам https, а у этого сервиса такого нет (PUBLIC_URL).',
  },
});
