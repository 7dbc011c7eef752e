import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import type { FeatureHandlers } from '../../framework/feature.ts';
import { answerAction, onAction } from '../../framework/on-action.ts';
import { closeView, showView } from '../../framework/view.ts';
import { texts } from './texts/index.ts';

export function createHandlers(deps: Pick<BotDeps, 'logger'>): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(deps, 'show-page-number', () => ({})),
    onAction(deps, 'close-menu', (ctx) => ({ afterwards: () => closeView(ctx) })),
    onAction(deps, 'cancel-dialog', async (ctx) => {
      const isActive = Object.keys(ctx.conversation.active()).length > 0;
      await ctx.conversation.exitAll();
      return { afterwards: () => (isActive ? showView(ctx, { text: texts[ctx.locale].cancelled }) : closeView(ctx)) };
    }),
  );
  composer.on('callback_query', (ctx) => answerAction(deps, ctx, { hint: ctx.texts.staleButton }));
  return { middleware: composer };
}
