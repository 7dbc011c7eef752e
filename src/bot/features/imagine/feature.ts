import { Composer } from 'grammy';
import type { Message } from 'grammy/types';
import { z } from 'zod';
import { ASPECT_RATIOS } from '../../../core/images/index.ts';
import type { ModelEntry } from '../../../core/models/index.ts';
import type { Locale } from '../../../texts/locale.ts';
import { listImageModels } from '../../choices/model-choice.ts';
import { findPhoto, MAX_FILE_MB, MAX_PHOTO_MB } from '../../inputs/photo.ts';
import type { CallbackActionsOf } from '../../kit/actions.ts';
import { findCommandText } from '../../kit/address.ts';
import { isGroup } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { beginDialog, type DialogSubject } from '../../kit/dialogs.ts';
import type { Feature } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { createDrawImageTool } from './draw-image-tool.ts';
import { createImageButtons } from './image-buttons.ts';
import { imageKind } from './image-jobs.ts';
import { findModelsByName } from './image-models.ts';
import {
  type ImagineArguments,
  type ImagineOptions,
  type ImagineProblem,
  MAX_PROMPT,
  parseImagine,
  readImagineOptions,
} from './parse-imagine.ts';
import { askNext, startImageJob, storeDraft } from './start-image-job.ts';
import { texts } from './texts.ts';

const imageJob = { imageJobId: z.number() };
/** Images that the chat shows. */
const drawn = { ...imageJob, imageIds: z.array(z.number()) };
/** Request with missing options, and the ratio chosen so far. */
const draft = { ...imageJob, ratio: z.string().optional() };

const actions = {
  'stop-drawing': { fields: imageJob },
  /** The message with the button becomes the status message of the retry. */
  'retry-drawing': { fields: imageJob },
  'draw-again': { fields: imageJob },
  'vary-picture': { fields: { ...imageJob, imageId: z.number() } },
  'list-ratios': { fields: drawn },
  'draw-in-ratio': { fields: { ...drawn, ratio: z.string() } },
  'show-picture-buttons': { fields: drawn },
  'send-originals': { fields: drawn },
  'list-all-ratios': { fields: imageJob },
  'select-ratio': { fields: { ...imageJob, ratio: z.string() } },
  'list-drawing-models': { fields: { ...draft, page: z.number() } },
  'select-drawing-model': { fields: { ...draft, model: z.string() } },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    imagine: never;
  }
}

/** `/imagine`: images from text and from other images. */
export const imagine: Feature = {
  commands: [{ name: 'imagine', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  actions,
  jobs: [imageKind],
  create: (services) => ({
    tools: (answer) =>
      services.catalogue.defaultImageModel() === undefined ? [] : [createDrawImageTool(services, answer)],
    middleware: new Composer(createImagineCommand(services), createImageButtons(services)),
    dialogs: { imagine: (ctx, text, draftId) => continueWithPrompt(services, ctx, text, draftId) },
  }),
};

/**
 * `/imagine`: generates images from a text, or edits a photo that has the command as caption or that the command
 * replies to.
 */
function createImagineCommand(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('message', async (ctx, next) => {
    const text = findCommandText(ctx.message, ctx.me, 'imagine');
    if (text === undefined) return next();
    // The other photos of an album have no caption and must not become questions to the chat model.
    services.albums.record(ctx.message, 'drawn');
    await startFromMessage(services, ctx, ctx.message, text);
  });
  return composer;
}

async function startFromMessage(services: BotServices, ctx: BotContext, message: Message, text: string): Promise<void> {
  if (!services.catalogue.defaultImageModel()) return void (await ctx.reply(texts[ctx.locale].noModels));
  const source = findSource(message) ?? (message.reply_to_message && findSource(message.reply_to_message));
  const isCaption = message.text === undefined;
  // A caption of another kind of file asks for an edit, so an image from the text alone would be unexpected.
  if (!source && isCaption) return void (await ctx.reply(texts[ctx.locale].noPhoto));
  const parsed = await readImagineArguments(services, ctx, text);
  if (!parsed) return;
  const replyTo = isGroup(message.chat) ? message.message_id : undefined;
  const options: ImagineOptions = { ...parsed, ...(source && { source }), ...(replyTo !== undefined && { replyTo }) };
  if (options.prompt === '') return askForPrompt(services, ctx, options);
  await startImageJob(services, ctx, options);
}

/** Returns the image in a message as the source of an edit. */
function findSource(message: Message): ImagineOptions['source'] {
  const photo = findPhoto(message);
  const limitMb = message.photo ? MAX_PHOTO_MB : MAX_FILE_MB;
  return photo && { kind: 'telegram', fileId: photo.telegramFileId, limitMb };
}

/** Parses prompt and options and resolves the model to its public name; undefined after a reply about a mistake. */
async function readImagineArguments(
  services: BotServices,
  ctx: BotContext,
  text: string,
): Promise<ImagineArguments | undefined> {
  const parsed = parseImagine(text);
  if ('problem' in parsed) {
    await ctx.reply(describeProblem(ctx.locale, parsed.problem), NO_PREVIEW);
    return undefined;
  }
  if (parsed.model === undefined) return parsed;
  const found = findModelsByName(services.catalogue, parsed.model);
  const [first] = found;
  if (first && found.length === 1) return { ...parsed, model: first.id };
  const all = listImageModels(services.catalogue);
  await ctx.reply(describeUnknownModel(ctx.locale, parsed.model, found, all), NO_PREVIEW);
  return undefined;
}

const NO_PREVIEW = { link_preview_options: { is_disabled: true } };

async function askForPrompt(services: BotServices, ctx: BotContext, options: ImagineOptions): Promise<void> {
  const question = options.source ? texts[ctx.locale].askEdit : texts[ctx.locale].askPrompt;
  await beginDialog(services, ctx, 'imagine', question, await storeDraft(services, ctx, options));
}

/** Continues with the prompt that the user sent in the dialog. Options in it override the draft's. */
export async function continueWithPrompt(
  services: BotServices,
  ctx: BotContext,
  text: string,
  draftId: DialogSubject,
): Promise<void> {
  const imageJob = typeof draftId === 'number' ? await services.imageJobs.find(draftId) : undefined;
  // A draft that is deleted, of another user, or stored by another version is ignored: the prompt alone is a request.
  const isOwn = imageJob?.userId === ctx.user.id;
  const draft = (isOwn ? readImagineOptions(imageJob) : undefined) ?? { prompt: '' };
  const parsed = await readImagineArguments(services, ctx, text);
  if (!parsed) return;
  const options: ImagineOptions = { ...draft, ...parsed };
  if (ctx.msg && isGroup(ctx.msg.chat)) options.replyTo = ctx.msg.message_id;
  if (options.prompt === '') return askForPrompt(services, ctx, options);
  await askNext(services, ctx, options, await storeDraft(services, ctx, options));
}

/** Maximum number of names to list in a sentence. */
const MAX_NAMES = 10;

/** Describes a mistake in the options and the valid values. */
function describeProblem(locale: Locale, problem: ImagineProblem): string {
  const { problems } = texts[locale];
  switch (problem.kind) {
    case 'flag':
      return problems.flag(problem.value);
    case 'ratio':
      return problems.ratio(problem.value, ASPECT_RATIOS.join(', '));
    case 'model':
      return problems.model;
    case 'count':
      return problems.count(problem.value);
    case 'seed':
      return problems.seed(problem.value);
    case 'length':
      return problems.tooLong(problem.length, MAX_PROMPT);
  }
}

/** Describes a model name that matches no model or several. */
function describeUnknownModel(
  locale: Locale,
  name: string,
  found: readonly ModelEntry[],
  all: readonly ModelEntry[],
): string {
  const { problems } = texts[locale];
  return found.length > 0 ? problems.severalModels(name, toNames(found)) : problems.noSuchModel(name, toNames(all));
}

function toNames(models: readonly ModelEntry[]): string {
  const names = models.slice(0, MAX_NAMES).map(({ id }) => id);
  return [...names, ...(models.length > MAX_NAMES ? ['…'] : [])].join(', ');
}
