import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { offerKeyboard, toButtonTarget } from '../../framework/keyboard.ts';
import { onPress } from '../../framework/press.ts';
import { closeView } from '../../framework/view.ts';
import type { LinkMemory } from '../../inputs/link-memory.ts';
import { findPage } from '../../inputs/links.ts';
import { toPageQuestion } from '../../inputs/read-question.ts';
import type { Asker } from '../../questions/ask.ts';

/**
 * A link and nothing else: what is behind it no model knows, so the bot offers to read it. It opens nothing by itself; a question about it
 * may follow instead of a press.
 */
export function createReadPageFeature(
  deps: BotDeps,
  { asker, lastLinks }: { readonly asker: Asker; readonly lastLinks: LinkMemory },
): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('message:text', async (ctx, next) => {
    const page = findPage(ctx.message, ctx.me);
    if (!page) return next();
    const { url } = page;
    lastLinks.note(ctx.message, page);
    const { link, readPage } = ctx.texts.inputs;
    const messageId = ctx.message.message_id;
    const button = { text: readPage, choice: { kind: 'read-page', url, messageId } as const };
    await ctx.reply(link, {
      reply_markup: await offerKeyboard(deps, toButtonTarget(ctx), [[button]]),
      reply_parameters: { message_id: messageId, allow_sending_without_reply: true },
    });
  });
  composer.use(
    onPress(deps, 'read-page', (ctx, { url, messageId }) => ({
      afterwards: async () => {
        const page = { kind: 'page', url, name: new URL(url).hostname } as const;
        const question = toPageQuestion(ctx, page, messageId);
        if (await asker.ask(ctx, question)) await closeView(ctx);
      },
    })),
  );
  return composer;
}
