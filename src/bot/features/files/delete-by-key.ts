import { Composer } from 'grammy';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog, type DialogSubject } from '../../framework/dialog.ts';
import { leadToPrivate } from '../../framework/lead-to-private.ts';
import { markPieces, showView } from '../../framework/view.ts';
import { isLink, readFileId } from '../../inputs/read-file-id.ts';
import { toDeletionView } from './file-changes.ts';
import { toFileTitle } from './file-view.ts';
import { FIRST_PAGE, findOwnFile, isPrivate } from './own-file.ts';
import { toShownName } from './shown-name.ts';

/**
 * `/delete link`: deletes any file for whoever has its owner key. The key is kept nowhere, and the message that brings it is
 * removed. One's own files need none.
 */
export function createDeleteByKeyFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('delete', async (ctx) => {
    if (!isPrivate(ctx)) return leadToPrivate(ctx, ctx.texts.fileMenu.onlyPrivate);
    const [link = '', ownerKey] = ctx.match.trim().split(/\s+/);
    const fileId = readFileId(link);
    if (fileId !== undefined && ownerKey !== undefined) return deleteByKey(deps, ctx, ownerKey, fileId);
    if (fileId === undefined) {
      const { whichFile, unknownFile } = ctx.texts.fileMenu;
      return void (await ctx.reply(isLink(link) ? unknownFile : whichFile));
    }
    await askHowToDelete(deps, ctx, fileId);
  });
  return composer;
}

async function askHowToDelete(deps: BotDeps, ctx: BotContext, fileId: string): Promise<void> {
  const { fileMenu } = ctx.texts;
  const own = await findOwnFile(deps, ctx, fileId);
  if (own) return showView(ctx, await toDeletionView(deps, ctx, own, FIRST_PAGE));
  if (!(await deps.storage.find(fileId))) return void (await ctx.reply(fileMenu.unknownFile));
  await beginDialog(deps, ctx, 'file-owner-key', fileMenu.askOwnerKey, fileId);
}

/** Deletes a file with the owner key that the person wrote, and asks again after a wrong one. The key goes nowhere else. */
export async function deleteByKey(
  deps: BotDeps,
  ctx: BotContext,
  ownerKey: string,
  fileId: DialogSubject,
): Promise<void> {
  const { fileMenu } = ctx.texts;
  const id = typeof fileId === 'string' ? fileId : '';
  // Whatever comes of it, the key does not stay in the chat.
  const [file, isRemoved] = await Promise.all([deps.storage.find(id), removeMessage(deps, ctx)]);
  const outcome = await deps.storage.delete(id, { ownerKey: ownerKey.trim() });
  if (outcome === 'deleted') {
    const name = toShownName(file ? toFileTitle(file) : id);
    const text = fileMenu.deleted(name);
    return showView(ctx, { text, entities: markPieces(text, 'code', name) });
  }
  if (outcome === 'unknown') return void (await ctx.reply(fileMenu.unknownFile));
  const question = isRemoved ? fileMenu.wrongOwnerKey : `${fileMenu.wrongOwnerKey}\n\n${fileMenu.ownerKeyRemains}`;
  await beginDialog(deps, ctx, 'file-owner-key', question, id);
}

/** @returns whether the message is gone. In private chats bots may delete what people write, for 48 hours. */
async function removeMessage(deps: BotDeps, ctx: BotContext): Promise<boolean> {
  try {
    await ctx.deleteMessage();
    return true;
  } catch (error) {
    const failure = classifyTelegramError(error);
    deps.logger.info({ failure: failure.kind }, 'a message with an owner key stays');
    return failure.kind === 'message-gone' && !failure.mayRemain;
  }
}
