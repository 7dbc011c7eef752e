import { Composer } from 'grammy';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { findFileId, isLink } from '../../inputs/find-file-id.ts';
import { isPrivate } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog, type DialogSubject } from '../../kit/dialogs.ts';
import { toShownName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { leadToPrivate, markParts, showView } from '../../kit/views.ts';
import { toDeletionView } from './file-changes.ts';
import { FIRST_PAGE, findOwnFile } from './file-menu.ts';
import { texts } from './texts.ts';
import { toFileTitle } from './views.ts';

/**
 * `/delete link`: deletes any file with its owner key. The key is not stored, and the message that contains it is
 * deleted. The user's own files need no key.
 */
export function createDeletionByKey(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('delete', async (ctx) => {
    if (!isPrivate(ctx)) return leadToPrivate(ctx, texts[ctx.locale].onlyPrivate);
    const [link = '', ownerKey] = ctx.match.trim().split(/\s+/);
    const fileId = findFileId(link);
    if (fileId !== undefined && ownerKey !== undefined) return deleteByKey(services, ctx, ownerKey, fileId);
    if (fileId === undefined) {
      const { whichFile, unknownFile } = texts[ctx.locale];
      return void (await ctx.reply(isLink(link) ? unknownFile : whichFile));
    }
    await askHowToDelete(services, ctx, fileId);
  });
  return composer;
}

async function askHowToDelete(services: BotServices, ctx: BotContext, fileId: string): Promise<void> {
  const words = texts[ctx.locale];
  const own = await findOwnFile(services, ctx, fileId);
  if (own) return showView(ctx, await toDeletionView(services, ctx, own, FIRST_PAGE));
  if (!(await services.storage.find(fileId))) return void (await ctx.reply(words.unknownFile));
  await beginDialog(services, ctx, 'file-owner-key', words.askOwnerKey, fileId);
}

/**
 * Deletes a file with the owner key that the user sent; asks again after a wrong one. The key is used for nothing else.
 */
export async function deleteByKey(
  services: BotServices,
  ctx: BotContext,
  ownerKey: string,
  fileId: DialogSubject,
): Promise<void> {
  const words = texts[ctx.locale];
  const id = typeof fileId === 'string' ? fileId : '';
  // The message is deleted whatever the result.
  const [file, isRemoved] = await Promise.all([services.storage.find(id), removeMessage(services, ctx)]);
  const outcome = await services.storage.delete(id, { ownerKey: ownerKey.trim() });
  if (outcome === 'deleted') {
    const name = toShownName(file ? toFileTitle(file) : id);
    const text = words.deleted(name);
    return showView(ctx, { text, entities: markParts(text, 'code', name) });
  }
  if (outcome === 'unknown') return void (await ctx.reply(words.unknownFile));
  const question = isRemoved ? words.wrongOwnerKey : `${words.wrongOwnerKey}\n\n${words.ownerKeyRemains}`;
  await beginDialog(services, ctx, 'file-owner-key', question, id);
}

/** @returns whether the message is deleted. In private chats bots can delete messages of users for 48 hours. */
async function removeMessage(services: BotServices, ctx: BotContext): Promise<boolean> {
  try {
    await ctx.deleteMessage();
    return true;
  } catch (error) {
    const failure = classifyTelegramError(error);
    services.logger.info({ failure: failure.kind }, 'a message with an owner key could not be deleted');
    return failure.kind === 'message-gone' && !failure.mayRemain;
  }
}
