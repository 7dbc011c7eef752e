import { toChatTopic, toTypingTopicId } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { type ActionButton, storeKeyboard, toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, showView, type View } from '../../kit/views.ts';
import { drawInBackground } from './image-jobs.ts';
import { chooseModel, findImageModel, listModelsFor } from './image-models.ts';
import type { ImagineOptions } from './parse-imagine.ts';
import { texts } from './texts.ts';
import { toImageModelMenu, toRatioKeyboard } from './views.ts';

/** The usual ratios, the default first. */
const SHAPES = [
  { shape: 'square', ratio: '1:1' },
  { shape: 'portrait', ratio: '2:3' },
  { shape: 'landscape', ratio: '3:2' },
] as const;

/** Stores an incomplete request. @returns its id. */
export async function storeDraft(services: BotServices, ctx: BotContext, options: ImagineOptions): Promise<number> {
  if (!ctx.msg) throw new Error('an image request must be in a message');
  const id = await services.imageJobs.begin({ userId: ctx.user.id, ...toChatTopic(ctx.msg), options });
  // No job runs yet, so a restart must not report it as interrupted.
  await services.imageJobs.end(id);
  return id;
}

/**
 * Asks for the missing options, the ratio and then the model; then submits the request. An edit keeps the ratio of its
 * source.
 */
export async function askNext(
  services: BotServices,
  ctx: BotContext,
  options: ImagineOptions,
  draftId: number,
): Promise<void> {
  if (options.ratio === undefined && !options.source) return showView(ctx, await toShapeMenu(services, ctx, draftId));
  const canChoose = options.model === undefined && listModelsFor(services.catalogue, options).length > 1;
  if (canChoose) return showView(ctx, await toImageJobModelMenu(services, ctx, { options, draftId, page: 0 }));
  const statusMessageId = ctx.callbackQuery?.message?.message_id;
  await startImageJob(services, ctx, options, { trigger: `draft:${draftId}`, statusMessageId });
}

/** Returns the menu of the usual ratios. */
async function toShapeMenu(services: BotServices, ctx: BotContext, imageJobId: number): Promise<View> {
  const { askRatio, shapes, moreRatios } = texts[ctx.locale];
  const keyboard = await storeKeyboard(services, toButtonTarget(ctx), [
    SHAPES.map(({ shape, ratio }) => ({ text: shapes[shape], action: { kind: 'select-ratio', imageJobId, ratio } })),
    [{ text: moreRatios, action: { kind: 'list-all-ratios', imageJobId } }],
    [toCancel(ctx)],
  ]);
  return { text: askRatio, keyboard };
}

/** Returns the menu of all ratios. */
export async function toRatioMenu(services: BotServices, ctx: BotContext, imageJobId: number): Promise<View> {
  const toAction = (ratio: string) => ({ kind: 'select-ratio', imageJobId, ratio }) as const;
  const keyboard = await toRatioKeyboard(services, toButtonTarget(ctx), toAction, toCancel(ctx));
  return { text: texts[ctx.locale].askAnyRatio, keyboard };
}

/** Returns the menu of models for a request. Its buttons carry the ratio chosen so far. */
export function toImageJobModelMenu(
  services: BotServices,
  ctx: BotContext,
  draft: { readonly options: ImagineOptions; readonly draftId: number; readonly page: number; readonly text?: string },
): Promise<View> {
  const { options, draftId: imageJobId } = draft;
  const chosen = { imageJobId, ...(options.ratio !== undefined && { ratio: options.ratio }) };
  return toImageModelMenu(services, {
    target: toButtonTarget(ctx),
    text: draft.text ?? texts[ctx.locale].askModel,
    models: listModelsFor(services.catalogue, options),
    current: options.model ?? findImageModel(services.catalogue, ctx.user)?.id,
    page: draft.page,
    toAction: (model) => ({ kind: 'select-drawing-model', ...chosen, model }),
    toPageAction: (page) => ({ kind: 'list-drawing-models', ...chosen, page }),
    last: toCancel(ctx),
  });
}

function toCancel(ctx: BotContext): ActionButton {
  return { text: ctx.texts.buttons.cancel, action: { kind: 'close-menu' } };
}

export interface DrawOptions {
  /** Identifies the pressed button, so that a second press does not generate twice. */
  readonly trigger?: string;
  /** Existing text message to use as the status message. */
  readonly statusMessageId?: number | undefined;
}

/**
 * Submits a request, or replies with the reason for a refusal.
 * @returns false if the job of the same button is still running, or the update is a duplicate.
 */
export async function startImageJob(
  services: BotServices,
  ctx: BotContext,
  options: ImagineOptions,
  { trigger, statusMessageId }: DrawOptions = {},
): Promise<boolean> {
  if (!ctx.msg) return true;
  const chosen = chooseModel(services.catalogue, ctx.user, options);
  if ('problem' in chosen) {
    await explainProblem(services, ctx, options, chosen);
    return true;
  }
  const chatTopic = toChatTopic(ctx.msg);
  const job = {
    userId: ctx.user.id,
    chatTopic,
    texts: ctx.texts,
    typingTopicId: toTypingTopicId(ctx.msg.chat, chatTopic),
    options: { ...options, model: chosen.model },
    statusMessageId,
  };
  const outcome = await drawInBackground(services, job, { updateId: ctx.update.update_id, trigger });
  if (outcome === 'full') await ctx.reply(texts[ctx.locale].failures.queueFull);
  if (outcome === 'overloaded') await ctx.reply(texts[ctx.locale].busy);
  return outcome !== 'running';
}

async function explainProblem(
  services: BotServices,
  ctx: BotContext,
  options: ImagineOptions,
  chosen: Extract<ReturnType<typeof chooseModel>, { readonly problem: string }>,
): Promise<void> {
  const words = texts[ctx.locale];
  const able = listModelsFor(services.catalogue, options);
  if (chosen.problem !== 'cannot-edit' || able.length === 0) {
    await ctx.reply(chosen.problem === 'no-models' ? words.noModels : words.noneEdits);
    return;
  }
  const { model: _model, ...open } = options;
  const text = words.failures.cannotEdit(chosen.model);
  const view = await toImageJobModelMenu(services, ctx, {
    options: open,
    draftId: await storeDraft(services, ctx, open),
    page: 0,
    text,
  });
  await ctx.reply(text, {
    entities: [...markParts(text, 'code', chosen.model)],
    ...(view.keyboard && { reply_markup: view.keyboard }),
  });
}
