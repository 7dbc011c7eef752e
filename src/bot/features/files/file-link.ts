import { Composer } from 'grammy';
import {
  hasStoredBytes,
  StorageUnavailableError,
  type StoredFile,
  type TelegramFile,
} from '../../../core/storage/index.ts';
import { readStartPayload } from '../../../lib/start-link.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { isGroup } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog, type DialogSubject } from '../../kit/dialogs.ts';
import { toShownName } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { joinLines, showView, toNameLine } from '../../kit/views.ts';
import { texts } from './texts.ts';
import { toFileLink } from './views.ts';

/** `/start f_<id>`: sends a file to the chat, after its password if it has one. */
export function createFileLinks(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('start', async (ctx, next) => {
    const id = readStartPayload(ctx.match, 'file');
    if (id === undefined || isGroup(ctx.chat)) return next();
    const file = FILE_ID.test(id) ? await services.storage.find(id) : undefined;
    if (!file) return void (await ctx.reply(texts[ctx.locale].link.gone));
    if (!file.hasPassword) return handOver(services, ctx, file);
    await askPassword(services, ctx, texts[ctx.locale].link.askPassword(toShownName(file.name)), id);
  });
  return composer;
}

const FILE_ID = /^[\w-]{22}$/;

/** Sends the file if the password is right; asks again after a wrong one. */
export async function handOverByPassword(
  services: BotServices,
  ctx: BotContext,
  password: string,
  fileId: DialogSubject,
): Promise<void> {
  const words = texts[ctx.locale].link;
  const file = typeof fileId === 'string' ? await services.storage.find(fileId) : undefined;
  if (!file) return void (await ctx.reply(words.gone));
  const verdict = await services.storage
    .checkPassword(file.id, password, { userId: ctx.user.id })
    .catch((error: unknown) => {
      if (error instanceof StorageUnavailableError) return undefined;
      throw error;
    });
  if (verdict === undefined) return void (await ctx.reply(ctx.texts.busy));
  if (verdict === 'wrong') return askPassword(services, ctx, words.wrongPassword, file.id);
  if (verdict !== 'right') return void (await ctx.reply(words.tooManyPasswords(verdict.retryAfterMs)));
  await handOver(services, ctx, file);
}

function askPassword(services: BotServices, ctx: BotContext, question: string, fileId: string): Promise<void> {
  return beginDialog(services, ctx, 'file-password', question, fileId);
}

/**
 * Sends a file by its Telegram file id, which counts as a download. Sends its link instead if Telegram refuses the id
 * or never had the file.
 */
async function handOver(services: BotServices, ctx: BotContext, file: StoredFile): Promise<void> {
  // HTTP downloads are counted by the server.
  if (!file.telegram) return sendLink(services, ctx, file);
  const download = await services.storage.beginDownload(file.id);
  const { usedUp, inUse } = texts[ctx.locale].link;
  if (typeof download !== 'object') return void (await ctx.reply(download === 'busy' ? inUse : usedUp));
  try {
    await sendByFileId(ctx, file.telegram);
    await download.complete();
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    // The file may have arrived although the answer did not.
    await (kind === 'unclear' || kind === 'aborted' ? download.complete() : download.release());
    if (kind !== 'rejected') throw error;
    services.logger.info({ err: error, kind: file.telegram.kind }, 'Telegram does not serve a file by its id');
    await (hasStoredBytes(file) ? sendLink(services, ctx, file) : ctx.reply(texts[ctx.locale].link.goneAtTelegram));
  }
}

async function sendLink(services: BotServices, ctx: BotContext, file: StoredFile): Promise<void> {
  const view = joinLines([toNameLine(file.name), { text: toFileLink(services, ctx.me, file) }]);
  await showView(ctx, view);
}

/** A file id is bound to the type of file, so each type has its own method. */
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
