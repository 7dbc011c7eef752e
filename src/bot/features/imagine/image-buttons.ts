import { Composer } from 'grammy';
import type { InlineKeyboardMarkup } from 'grammy/types';
import type { StoredImageJob } from '../../../core/image-jobs/index.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { type ActionAnswer, type CallbackAction, type CallbackActionOf, onAction } from '../../kit/actions.ts';
import { toChatTopic, toTypingTopicId } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import { toButtonTarget } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { imageKind } from './image-jobs.ts';
import { type ImagineOptions, readImagineOptions } from './parse-imagine.ts';
import { startSendingOriginals } from './send-originals.ts';
import { askNext, startImageJob, toImageJobModelMenu, toRatioMenu } from './start-image-job.ts';
import { texts } from './texts.ts';
import { toInterruptedView, toRatioKeyboard, toResultKeyboard } from './views.ts';

/** Buttons of `/imagine`: its menus, and those below images and failures. */
export function createImageButtons(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(services, 'stop-drawing', (ctx, { imageJobId }) => stopImageJob(services, ctx, imageJobId)),
    onImageJobAction(services, 'list-all-ratios', (ctx, { imageJobId }) => ({
      afterwards: async () => showView(ctx, await toRatioMenu(services, ctx, imageJobId)),
    })),
    onImageJobAction(services, 'select-ratio', (ctx, { imageJobId, ratio }, options) => ({
      afterwards: () => askNext(services, ctx, { ...options, ratio }, imageJobId),
    })),
  );
  composer.use(
    onImageJobAction(services, 'list-drawing-models', (ctx, { imageJobId, ratio, page }, options) => ({
      afterwards: async () => {
        const draft = { options: ratio === undefined ? options : { ...options, ratio }, draftId: imageJobId, page };
        await showView(ctx, await toImageJobModelMenu(services, ctx, draft));
      },
    })),
    onImageJobAction(services, 'select-drawing-model', (ctx, { imageJobId, ratio, model }, options) => {
      const changed = { ...options, model, ...(ratio !== undefined && { ratio }) };
      return draw(services, ctx, changed, `model:${imageJobId}`, toPressedMessage(ctx));
    }),
    onImageJobAction(services, 'retry-drawing', (ctx, { imageJobId }, options) =>
      draw(services, ctx, options, `retry:${imageJobId}`, toPressedMessage(ctx)),
    ),
  );
  composer.use(
    onImageJobAction(services, 'draw-again', (ctx, { imageJobId }, options) =>
      draw(services, ctx, { ...options, seed: undefined }, `again:${imageJobId}`),
    ),
    onImageJobAction(services, 'vary-picture', async (ctx, { imageJobId, imageId }, options) => {
      if (!(await isStored(services, imageId, imageJobId))) return { hint: texts[ctx.locale].gone, isAlert: true };
      const source = { kind: 'kept', imageId } as const;
      return draw(services, ctx, { ...options, source, count: 1, seed: undefined }, `vary:${imageId}`);
    }),
    onImageJobAction(services, 'draw-in-ratio', async (ctx, { imageJobId, imageIds, ratio }, options) => {
      const answer = await draw(services, ctx, { ...options, ratio }, `ratio:${imageJobId}:${ratio}`);
      return { ...answer, afterwards: () => showResultButtons(services, ctx, { imageJobId, imageIds }, options) };
    }),
    onImageJobAction(services, 'list-ratios', (ctx, { imageJobId, imageIds }) => ({
      afterwards: () => showRatios(services, ctx, { imageJobId, imageIds }),
    })),
    onImageJobAction(services, 'show-picture-buttons', (ctx, drawn, options) => ({
      afterwards: () => showResultButtons(services, ctx, drawn, options),
    })),
    onImageJobAction(services, 'send-originals', (ctx, drawn, options) => sendOriginals(services, ctx, drawn, options)),
  );
  return composer;
}

/** Actions of an image request. */
type ImageJobAction = Extract<CallbackAction, { readonly imageJobId: number }>;

/** Registers a handler for callback queries whose image request is still stored. */
function onImageJobAction<Kind extends ImageJobAction['kind']>(
  services: BotServices,
  kind: Kind,
  handle: (
    ctx: BotContext,
    action: CallbackActionOf<Kind>,
    options: ImagineOptions,
  ) => Promise<ActionAnswer> | ActionAnswer,
) {
  return onAction(services, kind, async (ctx, action) => {
    const options = readImagineOptions(await findOwnImageJob(services, ctx, action));
    return options ? handle(ctx, action, options) : { hint: ctx.texts.staleButton };
  });
}

async function findOwnImageJob(
  services: BotServices,
  ctx: BotContext,
  { imageJobId }: { readonly imageJobId: number },
): Promise<StoredImageJob | undefined> {
  const imageJob = await services.imageJobs.find(imageJobId);
  return imageJob?.userId === ctx.user.id ? imageJob : undefined;
}

/** Returns whether an image is still stored and belongs to this request. */
async function isStored(services: BotServices, imageId: number, imageJobId: number): Promise<boolean> {
  return (await services.imageJobs.findImage(imageId))?.imageJobId === imageJobId;
}

async function draw(
  services: BotServices,
  ctx: BotContext,
  options: ImagineOptions,
  trigger: string,
  statusMessageId?: number,
): Promise<ActionAnswer> {
  const isNew = await startImageJob(services, ctx, options, { trigger, statusMessageId });
  return isNew ? {} : { hint: texts[ctx.locale].atIt };
}

function toPressedMessage(ctx: BotContext): number | undefined {
  return ctx.callbackQuery?.message?.message_id;
}

async function stopImageJob(services: BotServices, ctx: BotContext, imageJobId: number): Promise<ActionAnswer> {
  const chatTopic = ctx.msg && toChatTopic(ctx.msg);
  if (chatTopic && (await services.jobs.stopOne(imageKind, imageJobId, chatTopic, ctx.user.id)))
    return { hint: ctx.texts.stopped };
  if (services.jobs.find(imageKind, imageJobId)) return { hint: ctx.texts.nothingToStop };
  const imageJob = await findOwnImageJob(services, ctx, { imageJobId });
  const options = readImagineOptions(imageJob);
  if (!imageJob || !options) return { hint: ctx.texts.nothingToStop };
  // The status message remains from a crash or a failed deletion; no other code will update it.
  return {
    hint: ctx.texts.nothingToStop,
    afterwards: async () => {
      const { text, keyboard } = await toInterruptedView(services, imageJob, options, ctx.texts);
      await ctx.editMessageText(text, keyboard ? { reply_markup: keyboard } : {}).catch(() => {});
    },
  };
}

interface Drawn {
  readonly imageJobId: number;
  readonly imageIds: readonly number[];
}

async function showRatios(services: BotServices, ctx: BotContext, { imageJobId, imageIds }: Drawn): Promise<void> {
  const drawn = { imageJobId, imageIds: [...imageIds] };
  const keyboard = await toRatioKeyboard(
    services,
    toButtonTarget(ctx),
    (ratio) => ({ kind: 'draw-in-ratio', ...drawn, ratio }),
    {
      text: ctx.texts.buttons.back,
      action: { kind: 'show-picture-buttons', ...drawn },
    },
  );
  await showButtons(ctx, keyboard);
}

async function showResultButtons(
  services: BotServices,
  ctx: BotContext,
  { imageJobId, imageIds }: Drawn,
  options: ImagineOptions,
): Promise<void> {
  const job = { imageJobId, ...toButtonTarget(ctx), texts: ctx.texts, options: { model: options.model ?? '' } };
  await showButtons(ctx, await toResultKeyboard(services, job, imageIds));
}

/** Replaces the buttons of the pressed message; a deleted message is ignored. */
async function showButtons(ctx: BotContext, keyboard: InlineKeyboardMarkup): Promise<void> {
  try {
    await ctx.editMessageReplyMarkup({ reply_markup: keyboard });
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (kind !== 'not-modified' && kind !== 'message-gone') throw error;
  }
}

async function sendOriginals(
  services: BotServices,
  ctx: BotContext,
  { imageJobId, imageIds }: Drawn,
  options: ImagineOptions,
): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  const [first] = imageIds;
  if (!ctx.msg || first === undefined || !(await isStored(services, first, imageJobId))) {
    return { hint: words.gone, isAlert: true };
  }
  const chatTopic = toChatTopic(ctx.msg);
  const outcome = startSendingOriginals(services, {
    userId: ctx.user.id,
    chatTopic,
    texts: ctx.texts,
    typingTopicId: toTypingTopicId(ctx.msg.chat, chatTopic),
    imageIds,
    prompt: options.prompt,
    replyTo: ctx.msg.message_id,
  });
  if (outcome === 'running') return { hint: words.atIt };
  return outcome === 'started' ? {} : { hint: words.busy };
}
