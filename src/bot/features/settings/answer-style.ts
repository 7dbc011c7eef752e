import { Composer } from 'grammy';
import { onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { type ActionButton, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView, type View } from '../../kit/views.ts';
import { toCreativityName, toSettingsView } from './main-settings.ts';
import { texts } from './texts.ts';

const CREATIVITIES = ['precise', 'balanced', 'creative', undefined] as const;
const LENGTHS = ['short', undefined, 'detailed'] as const;

/** Settings for the creativity and the length of answers. */
export function createAnswerStyle(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'list-creativities', (ctx) => ({
      afterwards: async () => showView(ctx, await toCreativitiesView(services, ctx)),
    })),
    onAction(services, 'select-creativity', async (ctx, { creativity }) => {
      ctx.user = await services.accounts.updateSettings(ctx.user.id, { creativity });
      return { afterwards: async () => showView(ctx, await toSettingsView(services, ctx)) };
    }),
    onAction(services, 'list-answer-lengths', (ctx) => ({
      afterwards: async () => showView(ctx, await toLengthsView(services, ctx)),
    })),
    onAction(services, 'select-answer-length', async (ctx, { answerLength }) => {
      ctx.user = await services.accounts.updateSettings(ctx.user.id, { answerLength });
      return { afterwards: async () => showView(ctx, await toSettingsView(services, ctx)) };
    }),
  );
  return composer;
}

async function toCreativitiesView(services: BotServices, ctx: BotContext): Promise<View> {
  const words = texts[ctx.locale];
  const chosen = ctx.user.settings.creativity;
  const rows = CREATIVITIES.map((one): ActionButton[] => [
    {
      text: toLabel(toCreativityName(ctx, one), one === chosen),
      action: { kind: 'select-creativity', ...(one && { creativity: one }) },
    },
  ]);
  return {
    text: words.askCreativity,
    keyboard: await storeKeyboard(services, toButtonTarget(ctx), [...rows, toBackRow(ctx)]),
  };
}

async function toLengthsView(services: BotServices, ctx: BotContext): Promise<View> {
  const { answerLengths, askAnswerLength } = texts[ctx.locale];
  const chosen = ctx.user.settings.answerLength;
  const rows = LENGTHS.map((one): ActionButton[] => [
    {
      text: toLabel(answerLengths[one ?? 'normal'], one === chosen),
      action: { kind: 'select-answer-length', ...(one && { answerLength: one }) },
    },
  ]);
  return {
    text: askAnswerLength,
    keyboard: await storeKeyboard(services, toButtonTarget(ctx), [...rows, toBackRow(ctx)]),
  };
}

/** Capitalizes a name for a button and marks the chosen one. */
function toLabel(name: string, isChosen: boolean): string {
  return (isChosen ? '✓ ' : '') + name.charAt(0).toUpperCase() + name.slice(1);
}

function toBackRow({ texts }: BotContext): ActionButton[] {
  return [{ text: texts.buttons.back, action: { kind: 'show-settings' } }];
}
