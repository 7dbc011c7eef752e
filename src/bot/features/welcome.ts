import { Composer } from 'grammy';
import { z } from 'zod';
import { defineTexts } from '../../texts/define-texts.ts';
import type { Locale } from '../../texts/locale.ts';
import { findAnsweringModel } from '../choices/model-choice.ts';
import { texts as shippedTexts } from '../choices/persona-texts.ts';
import { findShippedPersona } from '../choices/personas.ts';
import { type CallbackActionsOf, onAction } from '../kit/actions.ts';
import { isGroup } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { Feature, FeatureHandlers } from '../kit/feature.ts';
import { type ActionButton, storeKeyboard, toButtonTarget, toLeaveButton } from '../kit/keyboards.ts';
import type { BotServices } from '../kit/services.ts';
import { markParts, showView, type View } from '../kit/views.ts';
import { continueWithPrompt } from './imagine/feature.ts';

const actions = {
  'show-welcome': { fields: {} },
  'try-asking': { fields: {} },
  'try-drawing': { fields: {} },
  'try-keeping': { fields: {} },
  /** Index of an example in the texts, from 0; or in those of a built-in persona. */
  'ask-example': { fields: { example: z.number(), persona: z.string().optional() } },
};

declare module '../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/**
 * `/start`: a short introduction, and first steps as buttons. Runs after the features that handle `/start` with a
 * payload.
 */
export const welcome: Feature = { actions, create: createHandlers };

function createHandlers(services: BotServices): FeatureHandlers {
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
        await showView(ctx, { text: texts[ctx.locale].saveFile, keyboard });
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
      { text: buttons.save, action: { kind: 'try-keeping' } },
      { text: buttons.persona, action: { kind: 'list-personas', page: 0, back: 'welcome' } },
    ],
    [{ text: ctx.texts.buttons.chooseModel, action: { kind: 'list-models', page: 0, back: 'welcome' } }],
  ];
}

/** Returns example questions as buttons. */
export function toExampleRows(locale: Locale): readonly (readonly ActionButton[])[] {
  return texts[locale].examples.map((text, example) => [{ text, action: { kind: 'ask-example', example } }]);
}

export const texts = defineTexts({
  en: {
    greeting: (model: string | undefined) =>
      [
        `Hi! Write me a message and ${model ?? 'an AI model'} will answer.`,
        '',
        'I also create images, look at photos, read documents and save files. Reply to an earlier answer to continue from there.',
        '',
        'Try one of these, or just write. /help has everything else.',
      ].join('\n'),
    greetingToGroup: (username: string) =>
      `Hi! Mention me (@${username}) or reply to one of my messages, and I will answer. Otherwise I stay quiet.`,
    buttons: { ask: 'Ask something', draw: 'Create an image', save: 'Save a file', persona: 'Choose a persona' },
    askSomething: 'Write me anything, or try one of these:',
    /** Short enough for a button; each is sent as the question. */
    examples: [
      'Explain black holes to a child',
      'Plan a weekend in Lisbon',
      'Three dinners from eggs and rice',
    ] as readonly string[],
    asked: (question: string) => `You asked: ${question}`,
    saveFile:
      'Send me any file to get a link to it. Add a question as the caption, and I’ll read the document or look at the photo. /files lists your files.',
  },
  ru: {
    greeting: (model) =>
      [
        `Здравствуйте! Напишите мне, и ${model ?? 'модель ИИ'} ответит.`,
        '',
        'Ещё я рисую, рассматриваю фото, читаю документы и храню файлы. Ответьте на прежний ответ, чтобы продолжить с него.',
        '',
        'Попробуйте или просто напишите. Всё остальное: /help.',
      ].join('\n'),
    greetingToGroup: (username) =>
      `Здравствуйте! Упомяните меня (@${username}) или ответьте на моё сообщение, и я отвечу. В остальное время я молчу.`,
    buttons: { ask: 'Спросить', draw: 'Нарисовать', save: 'Сохранить файл', persona: 'Выбрать роль' },
    askSomething: 'Напишите что угодно или возьмите один из этих вопросов:',
    examples: ['Объясни ребёнку чёрные дыры', 'Выходные в Лиссабоне: план', 'Три ужина из яиц и риса'],
    asked: (question) => `Вы спрашиваете: ${question}`,
    saveFile:
      'Пришлите сейчас любой файл, и я дам на него ссылку. С вопросом в подписи я читаю документы и рассматриваю фото. Что я храню, покажет /files.',
  },
});
