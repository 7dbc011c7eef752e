import { Composer } from 'grammy';
import type { Message } from 'grammy/types';
import { findCommandText } from '../../framework/address.ts';
import type { BotContext } from '../../framework/context.ts';
import { beginDialog, type DialogSubject } from '../../framework/dialog.ts';
import { isGroup } from '../../framework/place.ts';
import type { AlbumMemory } from '../../inputs/album-memory.ts';
import { findPhoto, MAX_FILE_MB, MAX_PHOTO_MB } from '../../inputs/photo.ts';
import { listImageModels } from '../../models/model-choice.ts';
import { describeProblem, describeUnknownModel } from './describe-problem.ts';
import { askNext, drawOrder, type ImagineDeps, keepDraft } from './order-pictures.ts';
import { type ImagineWish, parseImagine } from './parse-imagine.ts';
import { listNamedModels } from './picture-models.ts';
import { type PictureOrder, readPictureOrder } from './picture-order.ts';

/** `/imagine`: pictures from words, from a photo with such a caption, or from a photo that is replied to. */
export function createImagineFeature(deps: ImagineDeps, albums: AlbumMemory<'drawn' | 'told'>): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('message', async (ctx, next) => {
    const text = findCommandText(ctx.message, ctx.me, 'imagine');
    if (text === undefined) return next();
    // The other photos of an album come without the caption: they are no question to the chat model.
    albums.note(ctx.message, 'drawn');
    await imagine(deps, ctx, ctx.message, text);
  });
  return composer;
}

async function imagine(deps: ImagineDeps, ctx: BotContext, message: Message, text: string): Promise<void> {
  if (!deps.catalogue.defaultImageModel()) return void (await ctx.reply(ctx.texts.imagine.noModels));
  const source = findSource(message) ?? (message.reply_to_message && findSource(message.reply_to_message));
  // A file that is no picture, with such a caption, is meant to be edited: a drawing of the words alone would puzzle.
  if (!source && message.text === undefined) return void (await ctx.reply(ctx.texts.imagine.noPhoto));
  const wish = await readWish(deps, ctx, text);
  if (!wish) return;
  const replyTo = isGroup(message.chat) ? message.message_id : undefined;
  const order: PictureOrder = { ...wish, ...(source && { source }), ...(replyTo !== undefined && { replyTo }) };
  if (order.prompt === '') return askForPrompt(deps, ctx, order);
  await drawOrder(deps, ctx, order);
}

/** The picture in a message that is to be edited. */
function findSource(message: Message): PictureOrder['source'] {
  const photo = findPhoto(message);
  const limitMb = message.photo ? MAX_PHOTO_MB : MAX_FILE_MB;
  return photo && { kind: 'telegram', fileId: photo.telegramFileId, limitMb };
}

/** What the words and flags ask for, the model under its public name; undefined where the person has been told what is wrong. */
async function readWish(deps: ImagineDeps, ctx: BotContext, text: string): Promise<ImagineWish | undefined> {
  const wish = parseImagine(text);
  if ('problem' in wish) {
    await ctx.reply(describeProblem(ctx.texts, wish.problem), NO_PREVIEW);
    return undefined;
  }
  if (wish.model === undefined) return wish;
  const found = listNamedModels(deps.catalogue, wish.model);
  const [only] = found;
  if (only && found.length === 1) return { ...wish, model: only.id };
  const all = listImageModels(deps.catalogue);
  await ctx.reply(describeUnknownModel(ctx.texts, wish.model, found, all), NO_PREVIEW);
  return undefined;
}

const NO_PREVIEW = { link_preview_options: { is_disabled: true } };

async function askForPrompt(deps: ImagineDeps, ctx: BotContext, order: PictureOrder): Promise<void> {
  const question = order.source ? ctx.texts.imagine.askEdit : ctx.texts.imagine.askPrompt;
  await beginDialog(deps, ctx, 'imagine', question, await keepDraft(deps, ctx, order));
}

/** Goes on with the words that a person wrote when asked what to draw. Flags among them count. */
export async function imagineByText(
  deps: ImagineDeps,
  ctx: BotContext,
  text: string,
  draftId: DialogSubject,
): Promise<void> {
  const drawing = typeof draftId === 'number' ? await deps.drawings.find(draftId) : undefined;
  const isOwn = drawing?.personId === ctx.person.id;
  const draft = (isOwn ? readPictureOrder(drawing) : undefined) ?? { prompt: '' };
  const wish = await readWish(deps, ctx, text);
  if (!wish) return;
  const order: PictureOrder = { ...draft, ...wish };
  if (ctx.msg && isGroup(ctx.msg.chat)) order.replyTo = ctx.msg.message_id;
  if (order.prompt === '') return askForPrompt(deps, ctx, order);
  await askNext(deps, ctx, order, await keepDraft(deps, ctx, order));
}
