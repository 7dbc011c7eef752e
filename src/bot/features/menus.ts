import { Composer } from 'grammy';
import { defineTexts } from '../../texts/define-texts.ts';
import { answerAction, type CallbackActionsOf, onAction } from '../kit/actions.ts';
import type { BotContext } from '../kit/context.ts';
import type { Feature, FeatureHandlers } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';
import { closeView, showView } from '../kit/views.ts';

const actions = {
  'close-menu': { fields: {} },
  'cancel-dialog': { fields: {} },
  /** No operation. */
  'show-page-number': { fields: {} },
};

declare module '../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/**
 * Actions that all menus share: Close, Cancel, the page number. Must be the last feature, as it handles callback
 * queries that no other feature has handled.
 */
export const menus: Feature = { actions, create: createHandlers };

function createHandlers(services: BotServices): FeatureHandlers {
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

export const texts = defineTexts({
  en: {
    cancelled: 'Cancelled.',
  },
  ru: {
    cancelled: 'Отменено.',
  },
});
