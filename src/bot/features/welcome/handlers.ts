import { Composer } from 'grammy';
import { onAction } from '../../kit/actions.ts';
import { isGroup } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { FeatureHandlers } from '../../kit/feature.ts';
import { type ActionButton, storeKeyboard, toButtonTarget, toLeaveButton } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, showView, type View } from '../../kit/views.ts';
import { findAnsweringModel } from '../../models/model-choice.ts';
import { findShippedPersona } from '../../personas/shipped-personas.ts';
import { texts as shippedTexts } from '../../personas/texts.ts';
import type { Locale } from '../../texts/locale.ts';
import { continueWithPrompt } from '../imagine/imagine.ts';
import { texts } from './texts.ts';

/** `/start`, with or without a payload: a short introduction, and first steps as buttons. */
export function createHandlers(services: BotServices): FeatureHandlers {
  const composer = new Composer<BotContext>();
  composer.command('start', async (ctx) => {
    if (isGroup(ctx.chat)) return showView(ctx, { text: texts[ctx.locale].greetingToGroup(ctx.me.username) });
    return showView(ctx, await toGreeting(services, ctx));
  });
  composer.use(
    onAction(services, 'show-welcome', (ctx) => ({
      afterwards: async () => showView(ctx, await toGreeting(services, ctx)),
    })),
    onAction(services, 'try-asking', (ctx) => ({
      afterwards: async () => {
        const text = texts[ctx.locale].askSomething;
        const rows = [...toExampleRows(ctx.locale), toBackRow(ctx)];
        await showView(ctx, { text, keyboard: await storeKeyboard(services, toButtonTarget(ctx), rows) });
      },
    })),
    onAction(services, 'ask-example', (ctx, { example, persona }) => {
      const content = persona === undefined ? texts[ctx.locale].examples[example] : findPersonaExample(ctx, persona);
      if (content === undefined) return { hint: ctx.texts.staleButton };
      return {
        afterwards: async () => {
          // The first steps stay at hand.
          if (persona === undefined) await showView(ctx, await toGreeting(services, ctx));
          const { message_id: telegramMessageId } = await ctx.reply(texts[ctx.locale].asked(content));
          await services.questionService.ask(ctx, { content, attachments: [], telegramMessageId, parent: undefined });
        },
      };
    }),
    onAction(services, 'try-drawing', (ctx) => ({
      afterwards: () => continueWithPrompt(services, ctx, '', undefined),
    })),
    onAction(services, 'try-keeping', (ctx) => ({
      afterwards: async () => {
        const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [toBackRow(ctx)]);
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

async function toGreeting(services: BotServices, ctx: BotContext): Promise<View> {
  const model = findAnsweringModel(services.catalogue, ctx.user)?.entry.id;
  const text = texts[ctx.locale].greeting(model);
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), listFirstSteps(services, ctx));
  return { text, entities: markParts(text, 'code', model ?? ''), keyboard };
}

function toBackRow(ctx: BotContext): readonly ActionButton[] {
  return [toLeaveButton(ctx.texts, 'welcome')];
}

function listFirstSteps({ catalogue }: BotServices, ctx: BotContext): readonly (readonly ActionButton[])[] {
  const { buttons } = texts[ctx.locale];
  const draw: ActionButton = { text: buttons.draw, action: { kind: 'try-drawing' } };
  return [
    [{ text: buttons.ask, action: { kind: 'try-asking' } }, ...(catalogue.defaultImageModel() ? [draw] : [])],
    [
      { text: buttons.keep, action: { kind: 'try-keeping' } },
      { text: buttons.persona, action: { kind: 'list-personas', page: 0, back: 'welcome' } },
    ],
    [{ text: ctx.texts.buttons.chooseModel, action: { kind: 'list-models', page: 0, back: 'welcome' } }],
  ];
}

/** Returns example questions as buttons. */
export function toExampleRows(locale: Locale): readonly (readonly ActionButton[])[] {
  return texts[locale].examples.map((text, example) => [{ text, action: { kind: 'ask-example', example } }]);
}
