import { Composer } from 'grammy';
import { isPrivate } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { FeatureHandlers } from '../../kit/feature.ts';
import { canOpenMiniApp } from '../../kit/profile.ts';
import type { BotServices } from '../../kit/services.ts';
import { leadToPrivate } from '../../kit/views.ts';
import { storeGuess } from '../../time-zones/user-time-zone.ts';
import { texts } from './texts.ts';

/** `/console` in private chats. */
export function createHandlers(services: BotServices): FeatureHandlers {
  const { consoleUrl, sessions } = services;
  const composer = new Composer<BotContext>();
  composer.command('console', async (ctx) => {
    const words = texts[ctx.locale];
    if (!isPrivate(ctx)) return leadToPrivate(ctx, words.onlyPrivate);
    await storeGuess(services, ctx.user, ctx.from?.language_code);
    const { code } = await sessions.createCode(ctx.user.id);
    // Telegram fetches links for their preview. It never sees the part after #, so the code stays unused.
    const link = `${consoleUrl}#code=${code}`;
    const about = ctx.user.role === 'admin' ? words.aboutAdmin : words.about;
    const link_preview_options = { is_disabled: true };
    if (!canOpenMiniApp(consoleUrl)) {
      const text = [about, words.noMiniApp, link, words.linkRules].join('\n\n');
      await ctx.reply(text, { link_preview_options });
      return;
    }
    await ctx.reply(`${about}\n\n${words.linkRules}`, {
      link_preview_options,
      reply_markup: {
        inline_keyboard: [[{ text: words.open, web_app: { url: consoleUrl } }], [{ text: words.inBrowser, url: link }]],
      },
    });
  });
  return { middleware: composer };
}
