import { Composer } from 'grammy';
import { StorageUnavailableError } from '../../../core/storage/index.ts';
import { readStartPayload } from '../../../lib/start-link.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog, type DialogSubject } from '../../framework/dialog.ts';
import { isGroup } from '../../framework/place.ts';
import { handOver } from './hand-over.ts';
import { toShownName } from './shown-name.ts';

/** `/start f_<id>`: hands a file over inside Telegram, after its password where it has one. */
export function createFileLinkFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('start', async (ctx, next) => {
    const id = readStartPayload(ctx.match, 'file');
    if (id === undefined || isGroup(ctx.chat)) return next();
    const file = FILE_ID.test(id) ? await deps.storage.find(id) : undefined;
    if (!file) return void (await ctx.reply(ctx.texts.files.gone));
    if (!file.hasPassword) return handOver(deps, ctx, file);
    await askPassword(deps, ctx, ctx.texts.files.askPassword(toShownName(file.name)), id);
  });
  return composer;
}

const FILE_ID = /^[\w-]{22}$/;

/** Hands a file over to whoever wrote its password; asks again after a wrong one. */
export async function handOverByPassword(
  deps: BotDeps,
  ctx: BotContext,
  password: string,
  fileId: DialogSubject,
): Promise<void> {
  const words = ctx.texts.files;
  const file = typeof fileId === 'string' ? await deps.storage.find(fileId) : undefined;
  if (!file) return void (await ctx.reply(words.gone));
  const verdict = await deps.storage
    .checkPassword(file.id, password, { personId: ctx.person.id })
    .catch((error: unknown) => {
      if (error instanceof StorageUnavailableError) return undefined;
      throw error;
    });
  if (verdict === undefined) return void (await ctx.reply(ctx.texts.busy));
  if (verdict === 'wrong') return askPassword(deps, ctx, words.wrongPassword, file.id);
  if (verdict !== 'right') return void (await ctx.reply(words.tooManyPasswords(verdict.retryAfterMs)));
  await handOver(deps, ctx, file);
}

function askPassword(deps: BotDeps, ctx: BotContext, question: string, fileId: string): Promise<void> {
  return beginDialog(deps, ctx, 'file-password', question, fileId);
}
