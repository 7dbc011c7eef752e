import { Composer } from 'grammy';
import { findAnsweringModel, listImageModels } from '../../choices/model-choice.ts';
import { findEffectivePromptHere } from '../../choices/personas.ts';
import { findTimeZone, findTimeZones, USUAL_TIME_ZONES } from '../../choices/time-zones.ts';
import { onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog } from '../../kit/dialogs.ts';
import { type ActionButton, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, showView, type View } from '../../kit/views.ts';
import { type Creativity, TEMPERATURES } from '../../prompt/answer-instructions.ts';
import { findLocale, localeCodes, locales } from '../../texts/locales.ts';
import { findImageModel } from '../imagine/image-models.ts';
import { texts as imagineTexts } from '../imagine/texts.ts';
import { toImageModelMenu } from '../imagine/views.ts';
import { isMemoryOn } from '../memory/memory-access.ts';
import { texts as memoryTexts } from '../memory/texts.ts';
import { texts } from './texts.ts';

/** `/settings`: language, models, style of answers, system prompt; the display of answers has a page of its own. */
export function createMainSettings(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('settings', async (ctx) => showView(ctx, await toSettingsView(services, ctx)));
  composer.use(
    onAction(services, 'show-settings', (ctx) => ({
      afterwards: async () => showView(ctx, await toSettingsView(services, ctx)),
    })),
    onAction(services, 'list-languages', (ctx) => ({
      afterwards: async () => showView(ctx, await toLanguagesView(services, ctx)),
    })),
    onAction(services, 'select-language', async (ctx, { language }) => {
      ctx.user = await services.accounts.updateSettings(ctx.user.id, { language });
      ctx.locale = findLocale(language, ctx.from?.language_code);
      return { afterwards: async () => showView(ctx, await toSettingsView(services, ctx)) };
    }),
    onAction(services, 'switch-tools', async (ctx, { isOn }) => {
      ctx.user = await services.accounts.updateSettings(ctx.user.id, { hasTools: isOn ? undefined : false });
      return { afterwards: async () => showView(ctx, await toSettingsView(services, ctx)) };
    }),
    onAction(services, 'list-image-models', (ctx, { page }) => ({
      afterwards: async () => showView(ctx, await toImageModelsView(services, ctx, page)),
    })),
    onAction(services, 'select-image-model', async (ctx, { model }) => {
      if (services.catalogue.find(model)?.type !== 'image')
        return { hint: ctx.texts.models.gone(model), isAlert: true };
      ctx.user = await services.accounts.updateSettings(ctx.user.id, { imageModel: model });
      return { afterwards: async () => showView(ctx, await toSettingsView(services, ctx)) };
    }),
  );
  return composer;
}

/** Returns the settings with a button for each. */
export async function toSettingsView(services: BotServices, ctx: BotContext): Promise<View> {
  const words = texts[ctx.locale];
  const { buttons } = ctx.texts;
  const { language, creativity, answerLength, hasTools = true } = ctx.user.settings;
  const { timeZone, isGuessed } = findTimeZone(ctx.user.settings, ctx.from?.language_code);
  const promptSource = await findEffectivePromptHere(services, ctx);
  const areThereTools = services.toolbox.hasBuiltIn('draw_picture') || services.toolbox.list().length > 0;
  const memory = memoryTexts[ctx.locale];
  const name = ctx.texts.languageName;
  const model = findAnsweringModel(services.catalogue, ctx.user)?.entry.id ?? words.noModel;
  const imageModel = findImageModel(services.catalogue, ctx.user)?.id;
  const text = [
    words.heading,
    '',
    words.language(language === undefined ? words.followsTelegram(name) : name),
    words.timeZone.is(timeZone, isGuessed),
    words.model(model),
    ...(imageModel === undefined ? [] : [words.imageModel(imageModel)]),
    words.creativityIs(toCreativityName(ctx, creativity)),
    words.answerLengthIs(words.answerLengths[answerLength ?? 'normal']),
    promptSource ? words.instructionsSet(promptSource.persona?.label) : words.instructionsUnset,
    ...(areThereTools ? [hasTools ? words.tools.on : words.tools.off] : []),
    isMemoryOn({ user: ctx.user, group: undefined }) ? memory.isOn : memory.isOff,
  ].join('\n');
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    [
      { text: buttons.language, action: { kind: 'list-languages' } },
      { text: buttons.model, action: { kind: 'list-models', page: 0, back: 'settings' } },
    ],
    [
      { text: words.creativityButton, action: { kind: 'list-creativities' } },
      { text: words.answerLengthButton, action: { kind: 'list-answer-lengths' } },
    ],
    [
      { text: buttons.systemPrompt, action: { kind: 'show-system-prompt', back: 'settings' } },
      ...(imageModel === undefined
        ? []
        : [{ text: words.buttons.imageModel, action: { kind: 'list-image-models', page: 0 } } as const]),
    ],
    [
      { text: words.answersInChat, action: { kind: 'show-answer-settings' } },
      ...(areThereTools
        ? [
            {
              text: hasTools ? words.tools.turnOff : words.tools.turnOn,
              action: { kind: 'switch-tools', isOn: !hasTools },
            } as const,
          ]
        : []),
    ],
    [
      { text: words.timeZone.button, action: { kind: 'list-time-zones' } },
      { text: buttons.memory, action: { kind: 'list-memories', page: 0, back: 'settings' } },
    ],
    [{ text: buttons.close, action: { kind: 'close-menu' } }],
  ]);
  return { text, entities: markParts(text, 'code', model, imageModel ?? ''), keyboard };
}

/** Returns the name of a creativity with its temperature; undefined means the model's default. */
export function toCreativityName({ locale }: BotContext, creativity: Creativity | undefined): string {
  const { creativities, withTemperature } = texts[locale];
  if (creativity === undefined) return creativities.asModel;
  return withTemperature(creativities[creativity], TEMPERATURES[creativity]);
}

function toImageModelsView(services: BotServices, ctx: BotContext, page: number): Promise<View> {
  return toImageModelMenu(services, {
    target: toButtonTarget(ctx),
    text: imagineTexts[ctx.locale].askModel,
    models: listImageModels(services.catalogue),
    current: findImageModel(services.catalogue, ctx.user)?.id,
    page,
    toAction: (model) => ({ kind: 'select-image-model', model }),
    toPageAction: (to) => ({ kind: 'list-image-models', page: to }),
    last: { text: ctx.texts.buttons.back, action: { kind: 'show-settings' } },
  });
}

async function toLanguagesView(services: BotServices, ctx: BotContext): Promise<View> {
  const words = texts[ctx.locale];
  const { buttons } = ctx.texts;
  const chosen = ctx.user.settings.language;
  const toButton = (text: string, language: string | undefined): ActionButton => ({
    text: (language === chosen ? '✓ ' : '') + text,
    action: { kind: 'select-language', ...(language !== undefined && { language }) },
  });
  const rows = [
    ...localeCodes.map((code) => [toButton(locales[code].languageName, code)]),
    [toButton(words.buttons.asInTelegram, undefined)],
    [{ text: buttons.back, action: { kind: 'show-settings' } } as const],
  ];
  return { text: words.askLanguage, keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) };
}

/** Setting for the time zone of times that the bot shows. */
export function createTimeZone(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'list-time-zones', (ctx) => ({
      afterwards: async () =>
        showView(
          ctx,
          await toTimeZonesView(services, ctx, texts[ctx.locale].timeZone.ask, USUAL_TIME_ZONES[ctx.locale]),
        ),
    })),
    onAction(services, 'select-time-zone', async (ctx, { timeZone }) => {
      if (findTimeZones(timeZone)[0] !== timeZone) return { hint: ctx.texts.staleButton };
      await changeTimeZone(services, ctx, timeZone);
      return { afterwards: async () => showView(ctx, await toSettingsView(services, ctx)) };
    }),
    onAction(services, 'ask-time-zone', (ctx) => ({
      afterwards: () => beginDialog(services, ctx, 'time-zone', texts[ctx.locale].timeZone.askCity),
    })),
  );
  return composer;
}

/** Sets the time zone of a city or name that the user has sent, or offers those that it may mean. */
export async function setTimeZoneByText(services: BotServices, ctx: BotContext, text: string): Promise<void> {
  const words = texts[ctx.locale].timeZone;
  const [first, ...others] = findTimeZones(text);
  if (first === undefined) return beginDialog(services, ctx, 'time-zone', words.unknown);
  if (others.length > 0) return showView(ctx, await toTimeZonesView(services, ctx, words.which, [first, ...others]));
  await changeTimeZone(services, ctx, first);
  await showView(ctx, await toSettingsView(services, ctx));
}

/** Repeated tasks of the user move with it. */
async function changeTimeZone({ accounts, tasks }: BotServices, ctx: BotContext, timeZone: string): Promise<void> {
  const { id, settings } = ctx.user;
  const { timeZone: before } = findTimeZone(settings, ctx.from?.language_code);
  ctx.user = await accounts.updateSettings(id, { timeZone });
  if (before !== timeZone) await tasks.changeTimeZone(id, { from: before, to: timeZone });
}

async function toTimeZonesView(
  services: BotServices,
  ctx: BotContext,
  text: string,
  names: readonly string[],
): Promise<View> {
  const { timeZone: chosen } = ctx.user.settings;
  const toRow = (name: string): ActionButton[] => [
    { text: `${name === chosen ? '✓ ' : ''}${name}`, action: { kind: 'select-time-zone', timeZone: name } },
  ];
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    ...names.map(toRow),
    [{ text: texts[ctx.locale].timeZone.other, action: { kind: 'ask-time-zone' } }],
    [{ text: ctx.texts.buttons.back, action: { kind: 'show-settings' } }],
  ]);
  return { text, keyboard };
}
