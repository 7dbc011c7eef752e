import { Composer } from 'grammy';
import { findAnsweringModel } from '../answers/model-choice.ts';
import type { BotContext } from '../context.ts';
import type { ImagineDeps } from '../imagine/order-pictures.ts';
import { type ChoiceButton, offerKeyboard, toButtonTarget } from '../keyboards/keyboard.ts';
import { onPress } from '../keyboards/press.ts';
import { markPieces, showView, type View } from '../keyboards/view.ts';
import { findShippedPersona } from '../personas/shipped-personas.ts';
import { isGroup } from '../place.ts';
import type { Asker } from '../questions/ask.ts';
import { imagineByText } from './imagine.ts';

/**
 * `/start`, with or without a payload: what can be done here, in a few lines, and first steps that need one tap or two. Whoever writes
 * instead has skipped them.
 */
export function createWelcomeFeature(deps: ImagineDeps, asker: Asker): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('start', async (ctx) => {
    if (isGroup(ctx.chat)) return showView(ctx, { text: ctx.texts.welcomeToGroup(ctx.me.username) });
    const view = toGreeting(deps, ctx);
    const keyboard = await offerKeyboard(deps, toButtonTarget(ctx), listFirstSteps(deps, ctx));
    return showView(ctx, { ...view, keyboard });
  });
  composer.use(
    onPress(deps, 'try-asking', (ctx) => ({
      afterwards: async () => {
        const text = ctx.texts.firstSteps.askSomething;
        await showView(ctx, { text, keyboard: await offerKeyboard(deps, toButtonTarget(ctx), toExampleRows(ctx)) });
      },
    })),
    onPress(deps, 'ask-example', (ctx, { example, persona }) => {
      const content = persona === undefined ? ctx.texts.firstSteps.examples[example] : findPersonaExample(ctx, persona);
      const telegramMessageId = ctx.callbackQuery?.message?.message_id;
      if (content === undefined || telegramMessageId === undefined) return { hint: ctx.texts.stalePress };
      return {
        afterwards: async () => {
          await showView(ctx, { text: ctx.texts.firstSteps.asked(content) });
          await asker.ask(ctx, { content, attachments: [], telegramMessageId, parent: undefined });
        },
      };
    }),
    onPress(deps, 'try-drawing', (ctx) => ({
      afterwards: async () => {
        await showView(ctx, toGreeting(deps, ctx));
        await imagineByText(deps, ctx, '', undefined);
      },
    })),
    onPress(deps, 'try-keeping', (ctx) => ({
      afterwards: () => showView(ctx, { text: ctx.texts.firstSteps.keepFile }),
    })),
  );
  return composer;
}

function findPersonaExample({ texts }: BotContext, key: string): string | undefined {
  const persona = findShippedPersona(key);
  return persona && texts.personas.shipped[persona.key].example;
}

function toGreeting(deps: ImagineDeps, ctx: BotContext): View {
  const model = findAnsweringModel(deps.catalogue, ctx.person)?.entry.id;
  const text = ctx.texts.welcome(model);
  return { text, entities: markPieces(text, 'code', model ?? '') };
}

function listFirstSteps({ catalogue }: ImagineDeps, { texts }: BotContext): readonly (readonly ChoiceButton[])[] {
  const { buttons } = texts.firstSteps;
  const draw: ChoiceButton = { text: buttons.draw, choice: { kind: 'try-drawing' } };
  return [
    [{ text: buttons.ask, choice: { kind: 'try-asking' } }, ...(catalogue.defaultImageModel() ? [draw] : [])],
    [
      { text: buttons.keep, choice: { kind: 'try-keeping' } },
      { text: buttons.persona, choice: { kind: 'list-personas', page: 0 } },
    ],
    [{ text: texts.buttons.chooseModel, choice: { kind: 'list-models', page: 0 } }],
  ];
}

/** Questions to begin with: a press asks one. */
export function toExampleRows({ texts }: Pick<BotContext, 'texts'>): readonly (readonly ChoiceButton[])[] {
  return texts.firstSteps.examples.map((text, example) => [{ text, choice: { kind: 'ask-example', example } }]);
}
