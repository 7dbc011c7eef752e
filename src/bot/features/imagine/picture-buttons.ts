import { Composer } from 'grammy';
import type { InlineKeyboardMarkup } from 'grammy/types';
import type { Drawing } from '../../../core/drawings/index.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import type { Choice, ChoiceOf } from '../../framework/choice.ts';
import type { BotContext } from '../../framework/context.ts';
import { toButtonTarget } from '../../framework/keyboard.ts';
import { toPlace, toTypingTopicId } from '../../framework/place.ts';
import { onPress, type PressAnswer } from '../../framework/press.ts';
import { showView } from '../../framework/view.ts';
import { askNext, drawOrder, type ImagineServices, toOrderModelMenu } from './order-pictures.ts';
import { type PictureOrder, readPictureOrder } from './picture-order.ts';
import { toInterruptedView, toRatioKeyboard, toResultKeyboard } from './picture-views.ts';
import { texts } from './texts/index.ts';

/** Buttons of `/imagine`: its menus, and those below images and failures. */
export function createPictureButtons(deps: ImagineServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.use(
    onPress(deps, 'stop-drawing', (ctx, { drawingId }) => stopDrawing(deps, ctx, drawingId)),
    onOrder(deps, 'select-ratio', (ctx, { drawingId, ratio }, order) => ({
      afterwards: () => askNext(deps, ctx, { ...order, ratio }, drawingId),
    })),
  );
  composer.use(
    onOrder(deps, 'list-drawing-models', (ctx, { drawingId, ratio, page }, order) => ({
      afterwards: async () => {
        const wish = { order: ratio === undefined ? order : { ...order, ratio }, draftId: drawingId, page };
        await showView(ctx, await toOrderModelMenu(deps, ctx, wish));
      },
    })),
    onOrder(deps, 'select-drawing-model', (ctx, { drawingId, ratio, model }, order) => {
      const changed = { ...order, model, ...(ratio !== undefined && { ratio }) };
      return draw(deps, ctx, changed, `model:${drawingId}`, toPressedMessage(ctx));
    }),
    onOrder(deps, 'retry-drawing', (ctx, { drawingId }, order) =>
      draw(deps, ctx, order, `retry:${drawingId}`, toPressedMessage(ctx)),
    ),
  );
  composer.use(
    onOrder(deps, 'draw-again', (ctx, { drawingId }, order) =>
      draw(deps, ctx, { ...order, seed: undefined }, `again:${drawingId}`),
    ),
    onOrder(deps, 'vary-picture', async (ctx, { drawingId, pictureId }, order) => {
      if (!(await isKept(deps, pictureId, drawingId))) return { hint: texts[ctx.locale].gone, isAlert: true };
      const source = { kind: 'kept', pictureId } as const;
      return draw(deps, ctx, { ...order, source, count: 1, seed: undefined }, `vary:${pictureId}`);
    }),
    onOrder(deps, 'draw-in-ratio', async (ctx, { drawingId, pictureIds, ratio }, order) => {
      const answer = await draw(deps, ctx, { ...order, ratio }, `ratio:${drawingId}:${ratio}`);
      return { ...answer, afterwards: () => showResultButtons(deps, ctx, { drawingId, pictureIds }, order) };
    }),
    onOrder(deps, 'list-ratios', (ctx, { drawingId, pictureIds }) => ({
      afterwards: () => showRatios(deps, ctx, { drawingId, pictureIds }),
    })),
    onOrder(deps, 'show-picture-buttons', (ctx, drawn, order) => ({
      afterwards: () => showResultButtons(deps, ctx, drawn, order),
    })),
    onOrder(deps, 'send-originals', (ctx, drawn, order) => sendOriginals(deps, ctx, drawn, order)),
  );
  return composer;
}

/** Actions of an image request. */
type OrderChoice = Extract<Choice, { readonly drawingId: number }>;

/** Registers a handler for presses whose request is still stored. */
function onOrder<Kind extends OrderChoice['kind']>(
  deps: ImagineServices,
  kind: Kind,
  handle: (ctx: BotContext, choice: ChoiceOf<Kind>, order: PictureOrder) => Promise<PressAnswer> | PressAnswer,
) {
  return onPress(deps, kind, async (ctx, choice) => {
    const order = readPictureOrder(await findOwnDrawing(deps, ctx, choice));
    return order ? handle(ctx, choice, order) : { hint: ctx.texts.stalePress };
  });
}

async function findOwnDrawing(
  deps: ImagineServices,
  ctx: BotContext,
  { drawingId }: { readonly drawingId: number },
): Promise<Drawing | undefined> {
  const drawing = await deps.drawings.find(drawingId);
  return drawing?.userId === ctx.user.id ? drawing : undefined;
}

/** Returns whether an image is still stored and belongs to this request. */
async function isKept(deps: ImagineServices, pictureId: number, drawingId: number): Promise<boolean> {
  return (await deps.drawings.findPicture(pictureId))?.drawingId === drawingId;
}

async function draw(
  deps: ImagineServices,
  ctx: BotContext,
  order: PictureOrder,
  trigger: string,
  statusMessageId?: number,
): Promise<PressAnswer> {
  const isNew = await drawOrder(deps, ctx, order, { trigger, statusMessageId });
  return isNew ? {} : { hint: texts[ctx.locale].atIt };
}

function toPressedMessage(ctx: BotContext): number | undefined {
  return ctx.callbackQuery?.message?.message_id;
}

async function stopDrawing(deps: ImagineServices, ctx: BotContext, drawingId: number): Promise<PressAnswer> {
  const place = ctx.msg && toPlace(ctx.msg);
  if (place && deps.jobs.stop(place, ctx.user.id, drawingId) > 0) return { hint: ctx.texts.stopped };
  if (deps.jobs.isAtWork(drawingId)) return { hint: ctx.texts.nothingToStop };
  const drawing = await findOwnDrawing(deps, ctx, { drawingId });
  const order = readPictureOrder(drawing);
  if (!drawing || !order) return { hint: ctx.texts.nothingToStop };
  // The status message remains from a crash or a failed deletion; no other code will update it.
  return {
    hint: ctx.texts.nothingToStop,
    afterwards: async () => {
      const { text, keyboard } = await toInterruptedView(deps, drawing, order, ctx.texts);
      await ctx.editMessageText(text, keyboard ? { reply_markup: keyboard } : {}).catch(() => {});
    },
  };
}

interface Drawn {
  readonly drawingId: number;
  readonly pictureIds: readonly number[];
}

async function showRatios(deps: ImagineServices, ctx: BotContext, { drawingId, pictureIds }: Drawn): Promise<void> {
  const drawn = { drawingId, pictureIds: [...pictureIds] };
  const keyboard = await toRatioKeyboard(
    deps,
    toButtonTarget(ctx),
    (ratio) => ({ kind: 'draw-in-ratio', ...drawn, ratio }),
    {
      text: ctx.texts.buttons.back,
      choice: { kind: 'show-picture-buttons', ...drawn },
    },
  );
  await showButtons(ctx, keyboard);
}

async function showResultButtons(
  deps: ImagineServices,
  ctx: BotContext,
  { drawingId, pictureIds }: Drawn,
  order: PictureOrder,
): Promise<void> {
  const job = { drawingId, ...toButtonTarget(ctx), texts: ctx.texts, order: { model: order.model ?? '' } };
  await showButtons(ctx, await toResultKeyboard(deps, job, pictureIds));
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
  { drawingId, pictureIds }: Drawn,
  order: PictureOrder,
): Promise<PressAnswer> {
  const words = texts[ctx.locale];
  const [first] = pictureIds;
  if (!ctx.msg || first === undefined || !(await isKept(deps, first, drawingId))) {
    return { hint: words.gone, isAlert: true };
  }
  const place = toPlace(ctx.msg);
  const outcome = deps.jobs.sendOriginals({
    userId: ctx.user.id,
    place,
    texts: ctx.texts,
    actionTopicId: toTypingTopicId(ctx.msg.chat, place),
    pictureIds,
    prompt: order.prompt,
    replyTo: ctx.msg.message_id,
  });
  if (outcome === 'running') return { hint: words.atIt };
  return outcome === 'started' ? {} : { hint: words.busy };
}
