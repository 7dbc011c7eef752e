import { Composer, InputFile } from 'grammy';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { isPrivate } from '../files/own-file.ts';
import { toExportFiles } from '../personal-data/export-files.ts';

/** `/export`: everything that is kept of the person, as documents. In private chats only. */
export function createExportFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('export', async (ctx) => {
    const { personalData } = ctx.texts;
    if (!isPrivate(ctx)) return void (await ctx.reply(personalData.onlyPrivate));
    const files = await toExportFiles(deps, ctx);
    const documents = files.map(({ name, bytes }, at) => ({
      type: 'document' as const,
      media: new InputFile(bytes, name),
      // Telegram shows the words of the last one below an album of documents.
      ...(at === files.length - 1 ? { caption: personalData.exported } : {}),
    }));
    await ctx.replyWithMediaGroup(documents);
  });
  return composer;
}
