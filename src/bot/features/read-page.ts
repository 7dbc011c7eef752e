import { Composer } from 'grammy';
import { z } from 'zod';
import { defineTexts } from '../../texts/define-texts.ts';
import { findPage } from '../inputs/links.ts';
import { toPageQuestion } from '../inputs/read-question.ts';
import { type CallbackActionsOf, onAction } from '../kit/actions.ts';
import type { BotContext } from '../kit/context.ts';
import type { Feature, FeatureHandlers } from '../kit/feature.ts';
import { storeKeyboard, toButtonTarget } from '../kit/keyboards.ts';
import type { BotServices } from '../kit/services.ts';
import { closeView } from '../kit/views.ts';

const actions = {
  'read-page': {
    fields: {
      url: z.string(),
      /** Message with the link. */
      messageId: z.number(),
    },
  },
};

declare module '../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/**
 * Offers to read the page of a message that consists of a link only. The bot opens no page by itself; the user may also
 * send a question about it instead of pressing the button.
 */
export const readPage: Feature = { actions, create: createHandlers };

function createHandlers(services: BotServices): FeatureHandlers {
  const { questionService, lastLinks } = services;
  const composer = new Composer<BotContext>();
  composer.on('message:text', async (ctx, next) => {
    const page = findPage(ctx.message, ctx.me);
    if (!page) return next();
    const { url } = page;
    lastLinks.record(ctx.message, page);
    const words = texts[ctx.locale];
    const messageId = ctx.message.message_id;
    const button = { text: words.readPage, action: { kind: 'read-page', url, messageId } as const };
    await ctx.reply(words.link, {
      reply_markup: await storeKeyboard(services, toButtonTarget(ctx), [[button]]),
      reply_parameters: { message_id: messageId, allow_sending_without_reply: true },
    });
  });
  composer.use(
    onAction(services, 'read-page', (ctx, { url, messageId }) => ({
      afterwards: async () => {
        const page = { kind: 'page', url, name: new URL(url).hostname } as const;
        const question = toPageQuestion(ctx, page, messageId);
        if (await questionService.ask(ctx, question)) await closeView(ctx);
      },
    })),
  );
  return { middleware: composer };
}

export const texts = defineTexts({
  en: {
    link: 'I don’t open bare links. Tap to read this page.',
    readPage: 'Read the page',
  },
  ru: {
    link: 'Ссылки без вопроса я не открываю. Нажмите, чтобы прочитать эту страницу.',
    readPage: 'Прочитать страницу',
  },
});
