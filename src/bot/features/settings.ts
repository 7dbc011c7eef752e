import { Composer } from 'grammy';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { type ChoiceButton, offerKeyboard } from '../keyboard.ts';
import { findAnsweringModel } from '../model-choice.ts';
import { onPress } from '../press.ts';
import { findLocale, localeCodes, locales } from '../texts/locales.ts';
import { markPieces, showView, type View } from '../view.ts';

/** `/settings`: language, model and instructions in one menu. */
export function createSettingsFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('settings', async (ctx) => showView(ctx, await toSettingsView(deps, ctx)));
  composer.use(
    onPress(deps, 'show-settings', (ctx) => ({
      afterwards: async () => showView(ctx, await toSettingsView(deps, ctx)),
    })),
    onPress(deps, 'list-languages', (ctx) => ({
      afterwards: async () => showView(ctx, await toLanguagesView(deps, ctx)),
    })),
    onPress(deps, 'select-language', async (ctx, { language }) => {
      ctx.person = await deps.accounts.updateSettings(ctx.person.id, { language });
      ctx.locale = findLocale(language, ctx.from?.language_code);
      return { afterwards: async () => showView(ctx, await toSettingsView(deps, ctx)) };
    }),
  );
  return composer;
}

async function toSettingsView(deps: BotDeps, ctx: BotContext): Promise<View> {
  const { settings, buttons } = ctx.texts;
  const { language, systemPrompt } = ctx.person.settings;
  const name = ctx.texts.languageName;
  const model = findAnsweringModel(deps.catalogue, ctx.person)?.entry.id ?? settings.noModel;
  const text = [
    settings.heading,
    '',
    settings.language(language === undefined ? settings.followsTelegram(name) : name),
    settings.model(model),
    systemPrompt === undefined ? settings.instructionsUnset : settings.instructionsSet,
  ].join('\n');
  const keyboard = await offerKeyboard(deps, ctx.person.id, [
    [
      { text: buttons.language, choice: { kind: 'list-languages' } },
      { text: buttons.model, choice: { kind: 'list-models', page: 0 } },
    ],
    [
      { text: buttons.systemPrompt, choice: { kind: 'show-system-prompt' } },
      { text: buttons.close, choice: { kind: 'close-menu' } },
    ],
  ]);
  return { text, entities: markPieces(text, 'code', model), keyboard };
}

async function toLanguagesView(deps: BotDeps, ctx: BotContext): Promise<View> {
  const { buttons, settings } = ctx.texts;
  const chosen = ctx.person.settings.language;
  const toButton = (text: string, language: string | undefined): ChoiceButton => ({
    text: (language === chosen ? '✓ ' : '') + text,
    choice: { kind: 'select-language', ...(language !== undefined && { language }) },
  });
  const rows = [
    ...localeCodes.map((code) => [toButton(locales[code].languageName, code)]),
    [toButton(buttons.asInTelegram, undefined)],
    [{ text: buttons.back, choice: { kind: 'show-settings' } } as const],
  ];
  return { text: settings.askLanguage, keyboard: await offerKeyboard(deps, ctx.person.id, rows) };
}
