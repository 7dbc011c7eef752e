import { Composer } from 'grammy';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { findPageUrl } from '../inputs/find-page-url.ts';
import { offerKeyboard } from '../keyboards/keyboard.ts';
import { onPress } from '../keyboards/press.ts';
import { closeView } from '../keyboards/view.ts';
import type { Asker } from '../questions/ask.ts';

/** A link and nothing else: what is behind it no model knows, so the bot offers to read it. It opens nothing by itself. */
export function createReadPageFeature(deps: BotDeps, asker: Asker): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('message:text', async (ctx, next) => {
    const url = findPageUrl(ctx.message, ctx.me);
    if (url === undefined) return next();
    const { link, readPage } = ctx.texts.inputs;
    const messageId = ctx.message.message_id;
    const button = { text: readPage, choice: { kind: 'read-page', url, messageId } as const };
    await ctx.reply(link, {
      reply_markup: await offerKeyboard(deps, ctx.person.id, [[button]]),
      reply_parameters: { message_id: messageId, allow_sending_without_reply: true },
    });
  });
  composer.use(
    onPress(deps, 'read-page', (ctx, { url, messageId }) => ({
      afterwards: async () => {
        const content = ctx.texts.inputs.pageQuestion(url);
        const page = { kind: 'page', url, name: new URL(url).hostname } as const;
        const question = { content, attachments: [page], telegramMessageId: messageId, parent: undefined };
        if (await asker.ask(ctx, question)) await closeView(ctx);
      },
    })),
  );
  return composer;
}
