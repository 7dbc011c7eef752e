import type { StoredFile, TelegramFile } from '../../../core/storage/index.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { showView } from '../../framework/view.ts';
import { joinLines, toFileLink, toNameLine } from './file-view.ts';

/**
 * Gives a file to whoever asks, as a message that Telegram has the bytes for. Where Telegram no longer has them, or the file
 * never was there, its link is sent. Counts a download.
 */
export async function handOver(deps: BotDeps, ctx: BotContext, file: StoredFile): Promise<void> {
  // Over HTTP the download itself is counted.
  if (!file.telegram) return sendLink(deps, ctx, file);
  if (!(await deps.storage.countDownload(file.id))) return void (await ctx.reply(ctx.texts.files.usedUp));
  try {
    await sendByFileId(ctx, file.telegram);
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (kind !== 'rejected') throw error;
    deps.logger.info({ err: error, kind: file.telegram.kind }, 'Telegram does not give a file by its id');
    // What was counted now may have been the last download.
    const hasLink = file.sha256 !== undefined && file.downloadsLeft !== 1;
    await (hasLink ? sendLink(deps, ctx, file) : ctx.reply(ctx.texts.files.goneAtTelegram));
  }
}

async function sendLink(deps: BotDeps, ctx: BotContext, file: StoredFile): Promise<void> {
  const view = joinLines([toNameLine(file.name), { text: toFileLink(deps, ctx.me, file) }]);
  await showView(ctx, view);
}

/** File ids are bound to the kind of file, so each kind has its own method. */
function sendByFileId(ctx: BotContext, { kind, fileId }: TelegramFile): Promise<unknown> {
  switch (kind) {
    case 'document':
      return ctx.replyWithDocument(fileId);
    case 'photo':
      return ctx.replyWithPhoto(fileId);
    case 'video':
      return ctx.replyWithVideo(fileId);
    case 'audio':
      return ctx.replyWithAudio(fileId);
    case 'voice':
      return ctx.replyWithVoice(fileId);
    case 'animation':
      return ctx.replyWithAnimation(fileId);
    case 'sticker':
      return ctx.replyWithSticker(fileId);
    case 'video_note':
      return ctx.replyWithVideoNote(fileId);
  }
}
