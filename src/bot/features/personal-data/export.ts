import { Composer, InputFile } from 'grammy';
import { keepTyping } from '../../../telegram/typing.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { leadToPrivate } from '../../framework/lead-to-private.ts';
import { toPlace } from '../../framework/place.ts';
import { isPrivate } from '../files/own-file.ts';
import { toExportArchive } from './export-archive.ts';

/** `/export`: everything that is kept of the person, in one archive. In private chats only. */
export function createExportFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('export', async (ctx) => {
    const { personalData } = ctx.texts;
    if (!isPrivate(ctx)) return leadToPrivate(ctx, personalData.onlyPrivate);
    const stopShowing = keepTyping(deps, toPlace(ctx.msg), { action: 'upload_document' });
    try {
      const { bytes, linkedCount } = await toExportArchive(deps, ctx);
      await ctx.replyWithDocument(new InputFile(bytes, 'export.zip'), { caption: personalData.exported(linkedCount) });
    } finally {
      stopShowing();
    }
  });
  return composer;
}
