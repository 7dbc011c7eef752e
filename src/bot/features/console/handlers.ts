import { Composer } from 'grammy';
import { isPrivate } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { FeatureHandlers } from '../../kit/feature.ts';
import { storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { leadToPrivate, showView } from '../../kit/views.ts';
import { storeGuess } from '../../time-zones/user-time-zone.ts';
import { toConsoleLink } from './console-link.ts';
import { texts } from './texts.ts';

/** `/console` in private chats. */
export function createHandlers(services: BotServices): FeatureHandlers {
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
