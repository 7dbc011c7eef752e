import { Composer } from 'grammy';
import { answerAction, onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import type { FeatureHandlers } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { closeView, showView } from '../../kit/views.ts';
import { texts } from './texts.ts';

export function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'show-page-number', () => ({})),
    onAction(services, 'close-menu', (ctx) => ({ afterwards: () => closeView(ctx) })),
    onAction(services, 'cancel-dialog', async (ctx) => {
      const isActive = Object.keys(ctx.conversation.active()).length > 0;
      await ctx.conversation.exitAll();
      return { afterwards: () => (isActive ? showView(ctx, { text: texts[ctx.locale].cancelled }) : closeView(ctx)) };
    }),
  );
  composer.on('callback_query', (ctx) => answerAction(services, ctx, { hint: ctx.texts.staleButton }));
  return { middleware: composer };
}
