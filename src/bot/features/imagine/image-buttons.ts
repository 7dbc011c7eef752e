import { Composer } from 'grammy';
import type { InlineKeyboardMarkup } from 'grammy/types';
import type { StoredImageJob } from '../../../core/image-jobs/index.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import type { CallbackAction, CallbackActionOf } from '../../framework/callback-action.ts';
import { toChatTopic, toTypingTopicId } from '../../framework/chat-topic.ts';
import type { BotContext } from '../../framework/context.ts';
import { toButtonTarget } from '../../framework/keyboard.ts';
import { type ActionAnswer, onAction } from '../../framework/on-action.ts';
import { showView } from '../../framework/view.ts';
import { toInterruptedView, toRatioKeyboard, toResultKeyboard } from './image-views.ts';
import { type ImagineOptions, readImagineOptions } from './imagine-options.ts';
import { askNext, type ImagineServices, startImageJob, toImageJobModelMenu, toRatioMenu } from './start-image-job.ts';
import { texts } from './texts/index.ts';

/** Buttons of `/imagine`: its menus, and those below images and failures. */
export function createImageButtons(deps: ImagineServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onAction(deps, 'stop-drawing', (ctx, { imageJobId }) => stopImageJob(deps, ctx, imageJobId)),
    onImageJobAction(deps, 'list-all-ratios', (ctx, { imageJobId }) => ({
      afterwards: async () => showView(ctx, await toRatioMenu(deps, ctx, imageJobId)),
    })),
    onImageJobAction(deps, 'select-ratio', (ctx, { imageJobId, ratio }, options) => ({
      afterwards: () => askNext(deps, ctx, { ...options, ratio }, imageJobId),
    })),
  );
  composer.use(
    onImageJobAction(deps, 'list-drawing-models', (ctx, { imageJobId, ratio, page }, options) => ({
      afterwards: async () => {
        const draft = { options: ratio === undefined ? options : { ...options, ratio }, draftId: imageJobId, page };
        await showView(ctx, await toImageJobModelMenu(deps, ctx, draft));
      },
    })),
    onImageJobAction(deps, 'select-drawing-model', (ctx, { imageJobId, ratio, model }, options) => {
      const changed = { ...options, model, ...(ratio !== undefined && { ratio }) };
      return draw(deps, ctx, changed, `model:${imageJobId}`, toPressedMessage(ctx));
    }),
    onImageJobAction(deps, 'retry-drawing', (ctx, { imageJobId }, options) =>
      draw(deps, ctx, options, `retry:${imageJobId}`, toPressedMessage(ctx)),
    ),
  );
  composer.use(
    onImageJobAction(deps, 'draw-again', (ctx, { imageJobId }, options) =>
      draw(deps, ctx, { ...options, seed: undefined }, `again:${imageJobId}`),
    ),
    onImageJobAction(deps, 'vary-picture', async (ctx, { imageJobId, imageId }, options) => {
      if (!(await isKept(deps, imageId, imageJobId))) return { hint: texts[ctx.locale].gone, isAlert: true };
      const source = { kind: 'kept', imageId } as const;
      return draw(deps, ctx, { ...options, source, count: 1, seed: undefined }, `vary:${imageId}`);
    }),
    onImageJobAction(deps, 'draw-in-ratio', async (ctx, { imageJobId, imageIds, ratio }, options) => {
      const answer = await draw(deps, ctx, { ...options, ratio }, `ratio:${imageJobId}:${ratio}`);
      return { ...answer, afterwards: () => showResultButtons(deps, ctx, { imageJobId, imageIds }, options) };
    }),
    onImageJobAction(deps, 'list-ratios', (ctx, { imageJobId, imageIds }) => ({
      afterwards: () => showRatios(deps, ctx, { imageJobId, imageIds }),
    })),
    onImageJobAction(deps, 'show-picture-buttons', (ctx, drawn, options) => ({
      afterwards: () => showResultButtons(deps, ctx, drawn, options),
    })),
    onImageJobAction(deps, 'send-originals', (ctx, drawn, options) => sendOriginals(deps, ctx, drawn, options)),
  );
  return composer;
}

/** Actions of an image request. */
type ImageJobAction = Extract<CallbackAction, { readonly imageJobId: number }>;

/** Registers a handler for callback queries whose image request is still stored. */
function onImageJobAction<Kind extends ImageJobAction['kind']>(
  deps: ImagineServices,
  kind: Kind,
  handle: (
    ctx: BotContext,
    action: CallbackActionOf<Kind>,
    options: ImagineOptions,
  ) => Promise<ActionAnswer> | ActionAnswer,
) {
  return onAction(deps, kind, async (ctx, action) => {
    const options = readImagineOptions(await findOwnImageJob(deps, ctx, action));
    return options ? handle(ctx, action, options) : { hint: ctx.texts.staleButton };
  });
}

async function findOwnImageJob(
  deps: ImagineServices,
  ctx: BotContext,
  { imageJobId }: { readonly imageJobId: number },
): Promise<StoredImageJob | undefined> {
  const imageJob = await deps.imageJobs.find(imageJobId);
  return imageJob?.userId === ctx.user.id ? imageJob : undefined;
}

/** Returns whether an image is still stored and belongs to this request. */
async function isKept(deps: ImagineServices, imageId: number, imageJobId: number): Promise<boolean> {
  return (await deps.imageJobs.findImage(imageId))?.imageJobId === imageJobId;
}

async function draw(
  deps: ImagineServices,
  ctx: BotContext,
  options: ImagineOptions,
  trigger: string,
  statusMessageId?: number,
): Promise<ActionAnswer> {
  const isNew = await startImageJob(deps, ctx, options, { trigger, statusMessageId });
  return isNew ? {} : { hint: texts[ctx.locale].atIt };
}

function toPressedMessage(ctx: BotContext): number | undefined {
  return ctx.callbackQuery?.message?.message_id;
}

async function stopImageJob(deps: ImagineServices, ctx: BotContext, imageJobId: number): Promise<ActionAnswer> {
  const chatTopic = ctx.msg && toChatTopic(ctx.msg);
  if (chatTopic && deps.jobs.stop(chatTopic, ctx.user.id, imageJobId) > 0) return { hint: ctx.texts.stopped };
  if (deps.jobs.isAtWork(imageJobId)) return { hint: ctx.texts.nothingToStop };
  const imageJob = await findOwnImageJob(deps, ctx, { imageJobId });
  const options = readImagineOptions(imageJob);
  if (!imageJob || !options) return { hint: ctx.texts.nothingToStop };
  // The status message remains from a crash or a failed deletion; no other code will update it.
  return {
    hint: ctx.texts.nothingToStop,
    afterwards: async () => {
      const { text, keyboard } = await toInterruptedView(deps, imageJob, options, ctx.texts);
      await ctx.editMessageText(text, keyboard ? { reply_markup: keyboard } : {}).catch(() => {});
    },
  };
}

interface Drawn {
  readonly imageJobId: number;
  readonly imageIds: readonly number[];
}

async function showRatios(deps: ImagineServices, ctx: BotContext, { imageJobId, imageIds }: Drawn): Promise<void> {
  const drawn = { imageJobId, imageIds: [...imageIds] };
  const keyboard = await toRatioKeyboard(
    deps,
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
  deps: ImagineServices,
  ctx: BotContext,
  { imageJobId, imageIds }: Drawn,
  options: ImagineOptions,
): Promise<void> {
  const job = { imageJobId, ...toButtonTarget(ctx), texts: ctx.texts, options: { model: options.model ?? '' } };
  await showButtons(ctx, await toResultKeyboard(deps, job, imageIds));
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
  deps: ImagineServices,
  ctx: BotContext,
  { imageJobId, imageIds }: Drawn,
  options: ImagineOptions,
): Promise<ActionAnswer> {
  const words = texts[ctx.locale];
  const [first] = imageIds;
  if (!ctx.msg || first === undefined || !(await isKept(deps, first, imageJobId))) {
    return { hint: words.gone, isAlert: true };
  }
  const chatTopic = toChatTopic(ctx.msg);
  const outcome = deps.jobs.sendOriginals({
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
