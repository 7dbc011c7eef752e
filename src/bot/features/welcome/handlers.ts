import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import type { FeatureHandlers } from '../../framework/feature.ts';
import { type ChoiceButton, offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { toLeaveButton } from '../../framework/leave-button.ts';
import { isGroup } from '../../framework/place.ts';
import { onPress } from '../../framework/press.ts';
import { markPieces, showView, type View } from '../../framework/view.ts';
import { findAnsweringModel } from '../../models/model-choice.ts';
import { findShippedPersona } from '../../personas/shipped-personas.ts';
import { texts as shippedTexts } from '../../personas/texts/index.ts';
import type { Asker } from '../../questions/ask.ts';
import type { Locale } from '../../texts/locale.ts';
import { imagineByText } from '../imagine/imagine.ts';
import { texts } from './texts/index.ts';

type WelcomeServices = Parameters<typeof imagineByText>[0] &
  Pick<BotDeps, 'catalogue' | 'interactions' | 'logger'> & { readonly asker: Asker };

/** `/start`, with or without a payload: a short introduction, and first steps as buttons. */
export function createHandlers(deps: WelcomeServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('start', async (ctx) => {
    if (isGroup(ctx.chat)) return showView(ctx, { text: texts[ctx.locale].greetingToGroup(ctx.me.username) });
    return showView(ctx, await toGreeting(deps, ctx));
  });
  composer.use(
    onPress(deps, 'show-welcome', (ctx) => ({ afterwards: async () => showView(ctx, await toGreeting(deps, ctx)) })),
    onPress(deps, 'try-asking', (ctx) => ({
      afterwards: async () => {
        const text = texts[ctx.locale].askSomething;
        const rows = [...toExampleRows(ctx.locale), toBackRow(ctx)];
        await showView(ctx, { text, keyboard: await offerKeyboard(deps, toButtonTarget(ctx), rows) });
      },
    })),
    onPress(deps, 'ask-example', (ctx, { example, persona }) => {
      const content = persona === undefined ? texts[ctx.locale].examples[example] : findPersonaExample(ctx, persona);
      const telegramMessageId = ctx.callbackQuery?.message?.message_id;
      if (content === undefined || telegramMessageId === undefined) return { hint: ctx.texts.stalePress };
      return {
        afterwards: async () => {
          await showView(ctx, { text: texts[ctx.locale].asked(content) });
          await deps.asker.ask(ctx, { content, attachments: [], telegramMessageId, parent: undefined });
        },
      };
    }),
    onPress(deps, 'try-drawing', (ctx) => ({ afterwards: () => imagineByText(deps, ctx, '', undefined) })),
    onPress(deps, 'try-keeping', (ctx) => ({
      afterwards: async () => {
        const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), [toBackRow(ctx)]);
        await showView(ctx, { text: texts[ctx.locale].keepFile, keyboard });
      },
    })),
  );
  return { middleware: composer };
}

function findPersonaExample({ locale }: BotContext, key: string): string | undefined {
  const persona = findShippedPersona(key);
  return persona && shippedTexts[locale][persona.key].example;
}

async function toGreeting(deps: WelcomeServices, ctx: BotContext): Promise<View> {
  const model = findAnsweringModel(deps.catalogue, ctx.user)?.entry.id;
  const text = texts[ctx.locale].greeting(model);
  const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), listFirstSteps(deps, ctx));
  return { text, entities: markPieces(text, 'code', model ?? ''), keyboard };
}

function toBackRow(ctx: BotContext): readonly ChoiceButton[] {
  return [toLeaveButton(ctx.texts, 'welcome')];
}

function listFirstSteps({ catalogue }: WelcomeServices, ctx: BotContext): readonly (readonly ChoiceButton[])[] {
  const { buttons } = texts[ctx.locale];
  const draw: ChoiceButton = { text: buttons.draw, choice: { kind: 'try-drawing' } };
  return [
    [{ text: buttons.ask, choice: { kind: 'try-asking' } }, ...(catalogue.defaultImageModel() ? [draw] : [])],
    [
      { text: buttons.keep, choice: { kind: 'try-keeping' } },
      { text: buttons.persona, choice: { kind: 'list-personas', page: 0, back: 'welcome' } },
    ],
    [{ text: ctx.texts.buttons.chooseModel, choice: { kind: 'list-models', page: 0, back: 'welcome' } }],
  ];
}

/** Returns example questions as buttons. */
export function toExampleRows(locale: Locale): readonly (readonly ChoiceButton[])[] {
  return texts[locale].examples.map((text, example) => [{ text, choice: { kind: 'ask-example', example } }]);
}
