import { Composer } from 'grammy';
import type { Logger } from '../../../lib/logger.ts';
import type { BotContext } from '../../framework/context.ts';
import { answerPress, onPress } from '../../framework/press.ts';
import { closeView, showView } from '../../framework/view.ts';

/** What all menus share: Close, Cancel, the number of a page, and a word for buttons that nothing stands behind any more. Installed last. */
export function createMenusFeature(deps: { readonly logger: Logger }): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onPress(deps, 'show-page-number', () => ({})),
    onPress(deps, 'close-menu', (ctx) => ({ afterwards: () => closeView(ctx) })),
    onPress(deps, 'cancel-dialog', async (ctx) => {
      const isActive = Object.keys(ctx.conversation.active()).length > 0;
      await ctx.conversation.exitAll();
      return { afterwards: () => (isActive ? showView(ctx, { text: ctx.texts.cancelled }) : closeView(ctx)) };
    }),
  );
  composer.on('callback_query', (ctx) => answerPress(deps, ctx, { hint: ctx.texts.stalePress }));
  return composer;
}
