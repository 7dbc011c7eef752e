import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { type ChoiceButton, offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { onPress } from '../../framework/press.ts';
import { showView, type View } from '../../framework/view.ts';
import { toCreativityName } from '../../prompt/answer-style.ts';
import { toSettingsView } from './settings.ts';

const CREATIVITIES = ['precise', 'balanced', 'creative', undefined] as const;
const LENGTHS = ['short', undefined, 'detailed'] as const;

/** The settings about how models answer: how freely, and at what length. */
export function createAnswerStyleFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onPress(deps, 'list-creativities', (ctx) => ({
      afterwards: async () => showView(ctx, await toCreativitiesView(deps, ctx)),
    })),
    onPress(deps, 'select-creativity', async (ctx, { creativity }) => {
      ctx.person = await deps.accounts.updateSettings(ctx.person.id, { creativity });
      return { afterwards: async () => showView(ctx, await toSettingsView(deps, ctx)) };
    }),
    onPress(deps, 'list-answer-lengths', (ctx) => ({
      afterwards: async () => showView(ctx, await toLengthsView(deps, ctx)),
    })),
    onPress(deps, 'select-answer-length', async (ctx, { answerLength }) => {
      ctx.person = await deps.accounts.updateSettings(ctx.person.id, { answerLength });
      return { afterwards: async () => showView(ctx, await toSettingsView(deps, ctx)) };
    }),
  );
  return composer;
}

async function toCreativitiesView(deps: BotDeps, ctx: BotContext): Promise<View> {
  const { askCreativity } = ctx.texts.settings;
  const chosen = ctx.person.settings.creativity;
  const rows = CREATIVITIES.map((one): ChoiceButton[] => [
    {
      text: toLabel(toCreativityName(ctx.texts, one), one === chosen),
      choice: { kind: 'select-creativity', ...(one && { creativity: one }) },
    },
  ]);
  return { text: askCreativity, keyboard: await offerKeyboard(deps, toButtonTarget(ctx), [...rows, toBackRow(ctx)]) };
}

async function toLengthsView(deps: BotDeps, ctx: BotContext): Promise<View> {
  const { answerLengths, askAnswerLength } = ctx.texts.settings;
  const chosen = ctx.person.settings.answerLength;
  const rows = LENGTHS.map((one): ChoiceButton[] => [
    {
      text: toLabel(answerLengths[one ?? 'normal'], one === chosen),
      choice: { kind: 'select-answer-length', ...(one && { answerLength: one }) },
    },
  ]);
  return { text: askAnswerLength, keyboard: await offerKeyboard(deps, toButtonTarget(ctx), [...rows, toBackRow(ctx)]) };
}

/** A name as a button has it: it begins with a capital letter. */
function toLabel(name: string, isChosen: boolean): string {
  return (isChosen ? '✓ ' : '') + name.charAt(0).toUpperCase() + name.slice(1);
}

function toBackRow({ texts }: BotContext): ChoiceButton[] {
  return [{ text: texts.buttons.back, choice: { kind: 'show-settings' } }];
}
