import { Composer } from 'grammy';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog, type DialogSubject } from '../../framework/dialog.ts';
import { onPress } from '../../framework/press.ts';
import { toKeptAttachment } from '../../inputs/attachment.ts';
import type { Asker } from '../../questions/ask.ts';
import { findOwnFile, toGoneAnswer } from './own-file.ts';

/** The button below a kept file that a model can read: what is written next is a question about it. */
export function createAskAboutFileFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onPress(deps, 'ask-about-file', async (ctx, { fileId }) => {
      const file = await findOwnFile(deps, ctx, fileId);
      if (!file) return toGoneAnswer(deps, ctx);
      const question = ctx.texts.inputs.askQuestion(file.name);
      return { afterwards: () => beginDialog(deps, ctx, 'file-question', question, fileId) };
    }),
  );
  return composer;
}

/** Asks what a person has written about a kept file. */
export async function askAboutFile(
  deps: BotDeps,
  asker: Asker,
  ctx: BotContext,
  { text, fileId }: { readonly text: string; readonly fileId: DialogSubject },
): Promise<void> {
  const file = typeof fileId === 'string' ? await findOwnFile(deps, ctx, fileId) : undefined;
  const attachment = file && toKeptAttachment(deps, file);
  if (!attachment || !ctx.msg) return void (await ctx.reply(ctx.texts.fileMenu.gone));
  const telegramMessageId = ctx.msg.message_id;
  await asker.ask(ctx, { content: text, attachments: [attachment], telegramMessageId, parent: undefined });
}
