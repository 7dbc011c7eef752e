import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { type ChoiceButton, offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { onPress } from '../../framework/press.ts';
import { markPieces, showView, type View } from '../../framework/view.ts';
import { findAnsweringModel, listImageModels } from '../../models/model-choice.ts';
import { findGuiseHere } from '../../personas/standing-guise.ts';
import { toCreativityName } from '../../prompt/answer-style.ts';
import { findLocale, localeCodes, locales } from '../../texts/locales.ts';
import { findDrawingModel } from '../imagine/picture-models.ts';
import { toImageModelMenu } from '../imagine/picture-views.ts';

/** `/settings`: language, models, the way of answering, instructions; how answers show in the chat is a page of its own. */
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
    onPress(deps, 'switch-tools', async (ctx, { isOn }) => {
      ctx.person = await deps.accounts.updateSettings(ctx.person.id, { hasTools: isOn ? undefined : false });
      return { afterwards: async () => showView(ctx, await toSettingsView(deps, ctx)) };
    }),
    onPress(deps, 'list-image-models', (ctx, { page }) => ({
      afterwards: async () => showView(ctx, await toImageModelsView(deps, ctx, page)),
    })),
    onPress(deps, 'select-image-model', async (ctx, { model }) => {
      if (deps.catalogue.find(model)?.type !== 'image') return { hint: ctx.texts.models.gone(model), isAlert: true };
      ctx.person = await deps.accounts.updateSettings(ctx.person.id, { imageModel: model });
      return { afterwards: async () => showView(ctx, await toSettingsView(deps, ctx)) };
    }),
  );
  return composer;
}

/** What models are asked for, and a button for each. */
export async function toSettingsView(deps: BotDeps, ctx: BotContext): Promise<View> {
  const { settings, buttons, tools } = ctx.texts;
  const { language, creativity, answerLength, hasTools = true } = ctx.person.settings;
  const guise = await findGuiseHere(deps, ctx);
  const areThereTools = deps.toolbox.hasBuiltIn('draw_picture') || deps.toolbox.list().length > 0;
  const name = ctx.texts.languageName;
  const model = findAnsweringModel(deps.catalogue, ctx.person)?.entry.id ?? settings.noModel;
  const imageModel = findDrawingModel(deps.catalogue, ctx.person)?.id;
  const text = [
    settings.heading,
    '',
    settings.language(language === undefined ? settings.followsTelegram(name) : name),
    settings.model(model),
    ...(imageModel === undefined ? [] : [settings.imageModel(imageModel)]),
    settings.creativityIs(toCreativityName(ctx.texts, creativity)),
    settings.answerLengthIs(settings.answerLengths[answerLength ?? 'normal']),
    guise ? settings.instructionsSet(guise.persona?.label) : settings.instructionsUnset,
    ...(areThereTools ? [hasTools ? tools.on : tools.off] : []),
  ].join('\n');
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [
    [
      { text: buttons.language, choice: { kind: 'list-languages' } },
      { text: buttons.model, choice: { kind: 'list-models', page: 0, back: 'settings' } },
    ],
    [
      { text: settings.creativityButton, choice: { kind: 'list-creativities' } },
      { text: settings.answerLengthButton, choice: { kind: 'list-answer-lengths' } },
    ],
    [
      { text: buttons.systemPrompt, choice: { kind: 'show-system-prompt', back: 'settings' } },
      ...(imageModel === undefined
        ? []
        : [{ text: buttons.imageModel, choice: { kind: 'list-image-models', page: 0 } } as const]),
    ],
    [
      { text: settings.answersInChat, choice: { kind: 'show-answer-settings' } },
      ...(areThereTools
        ? [
            {
              text: hasTools ? tools.turnOff : tools.turnOn,
              choice: { kind: 'switch-tools', isOn: !hasTools },
            } as const,
          ]
        : []),
    ],
    [{ text: buttons.close, choice: { kind: 'close-menu' } }],
  ]);
  return { text, entities: markPieces(text, 'code', model, imageModel ?? ''), keyboard };
}

function toImageModelsView(deps: BotDeps, ctx: BotContext, page: number): Promise<View> {
  return toImageModelMenu(deps, {
    target: toButtonTarget(ctx),
    text: ctx.texts.imagine.askModel,
    models: listImageModels(deps.catalogue),
    current: findDrawingModel(deps.catalogue, ctx.person)?.id,
    page,
    toChoice: (model) => ({ kind: 'select-image-model', model }),
    toPageChoice: (to) => ({ kind: 'list-image-models', page: to }),
    last: { text: ctx.texts.buttons.back, choice: { kind: 'show-settings' } },
  });
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
  return { text: settings.askLanguage, keyboard: await offerKeyboard(deps, toButtonTarget(ctx), rows) };
}
