import type { InlineKeyboardMarkup } from 'grammy/types';
import type { Drawing } from '../../../core/drawings/index.ts';
import type { ButtonTarget } from '../../../core/interactions/index.ts';
import type { ModelEntry } from '../../../core/models/index.ts';
import type { Choice } from '../../framework/choice.ts';
import { type ChoiceButton, offerKeyboard } from '../../framework/keyboard.ts';
import { toPagedRows } from '../../framework/paged-rows.ts';
import { markPieces, type View } from '../../framework/view.ts';
import { MODELS_PER_PAGE, toModelButton } from '../../models/model-button.ts';
import type { Texts } from '../../texts/locales.ts';
import { describePictureFailure, listPictureRemedies, type PictureFailure } from './picture-failure.ts';
import type { PictureJob, PictureServices } from './picture-job.ts';
import { listModelsFor } from './picture-models.ts';
import type { PictureOrder } from './picture-order.ts';
import { texts } from './texts/index.ts';

/** From wide to tall, in rows that fit on a phone. */
const RATIO_ROWS = [
  ['21:9', '16:9', '3:2'],
  ['4:3', '5:4', '1:1'],
  ['4:5', '3:4', '2:3'],
  ['9:16', '9:21'],
] as const;
const VARIATIONS_PER_ROW = 5;

/** Returns the buttons below generated images. */
export async function toResultKeyboard(
  deps: PictureServices,
  job: Pick<PictureJob, 'drawingId' | 'texts'> & ButtonTarget & { readonly order: { readonly model: string } },
  pictureIds: readonly number[],
): Promise<InlineKeyboardMarkup> {
  const { drawingId } = job;
  const words = texts[job.texts.locale].buttons;
  const drawn = { drawingId, pictureIds: [...pictureIds] };
  const edits = deps.catalogue.find(job.order.model)?.acceptsImages === true;
  const variations = (edits ? pictureIds : []).map(
    (pictureId, index): ChoiceButton => ({
      text: pictureIds.length > 1 ? `${words.vary} ${index + 1}` : words.vary,
      choice: { kind: 'vary-picture', drawingId, pictureId },
    }),
  );
  const again: ChoiceButton = { text: job.texts.buttons.again, choice: { kind: 'draw-again', drawingId } };
  const ratio: ChoiceButton = { text: words.ratio, choice: { kind: 'list-ratios', ...drawn } };
  const files: ChoiceButton = { text: words.fullSize, choice: { kind: 'send-originals', ...drawn } };
  const fileRow = pictureIds.length > 0 ? [ratio, files] : [ratio];
  if (variations.length < 2) return offerKeyboard(deps, job, [[again, ...variations], fileRow]);
  const rows = Array.from({ length: Math.ceil(variations.length / VARIATIONS_PER_ROW) }, (_, row) =>
    variations.slice(row * VARIATIONS_PER_ROW, (row + 1) * VARIATIONS_PER_ROW),
  );
  return offerKeyboard(deps, job, [[again, ...fileRow], ...rows]);
}

/**
 * Returns the failure message with buttons for the remedies.
 * @param pictureIds images that were generated but not delivered.
 */
export async function toFailureView(
  deps: PictureServices,
  job: Pick<PictureJob, 'drawingId' | 'texts' | 'order'> & ButtonTarget,
  failure: PictureFailure,
  pictureIds: readonly number[] = [],
): Promise<View> {
  const { drawingId, order } = job;
  const { buttons } = job.texts;
  const remedies = listPictureRemedies(failure);
  const hasOthers = listModelsFor(deps.catalogue, order).some(({ id }) => id !== order.model);
  const row: ChoiceButton[] = [];
  if (pictureIds.length > 0) {
    const choice: Choice = { kind: 'send-originals', drawingId, pictureIds: [...pictureIds] };
    row.push({ text: texts[job.texts.locale].buttons.fullSize, choice });
  }
  if (remedies.again) row.push({ text: buttons.again, choice: { kind: 'retry-drawing', drawingId } });
  if (remedies.otherModel && hasOthers) {
    row.push({ text: buttons.otherModel, choice: { kind: 'list-drawing-models', drawingId, page: 0 } });
  }
  const text = describePictureFailure(job.texts, failure, order.model);
  const keyboard = row.length > 0 ? await offerKeyboard(deps, job, [row]) : undefined;
  return { text, entities: markPieces(text, 'code', order.model), keyboard };
}

/** Returns the message for a job that ended with the process, during generation or delivery. */
export async function toInterruptedView(
  deps: PictureServices,
  { id: drawingId, userId, chatId, pictureIds }: Drawing,
  order: PictureOrder,
  texts: Texts,
): Promise<View> {
  const job = { drawingId, userId, chatId, texts, order: { ...order, model: order.model ?? '' } };
  const kind = pictureIds.length > 0 ? 'undelivered' : 'interrupted';
  return toFailureView(deps, job, { kind }, pictureIds);
}

/** Returns a grid of the supported ratios, and a last row. */
export async function toRatioKeyboard(
  deps: PictureServices,
  target: ButtonTarget,
  toChoice: (ratio: string) => Choice,
  last: ChoiceButton,
): Promise<InlineKeyboardMarkup> {
  const grid = RATIO_ROWS.map((row) => row.map((ratio): ChoiceButton => ({ text: ratio, choice: toChoice(ratio) })));
  return offerKeyboard(deps, target, [...grid, [last]]);
}

/** Returns one page of the menu of image models. */
export async function toImageModelMenu(
  deps: Pick<PictureServices, 'interactions'>,
  wish: {
    readonly target: ButtonTarget;
    readonly text: string;
    readonly current: string | undefined;
    readonly page: number;
    readonly models: readonly ModelEntry[];
    readonly toChoice: (model: string) => Choice;
    readonly toPageChoice: (page: number) => Choice;
    readonly last: ChoiceButton;
  },
): Promise<View> {
  const { shown, turnRow } = toPagedRows(wish.models, wish.page, MODELS_PER_PAGE, wish.toPageChoice);
  const keyboard = await offerKeyboard(deps, wish.target, [
    ...shown.map((entry) => [toModelButton(entry, wish.current, wish.toChoice(entry.id))]),
    turnRow,
    [wish.last],
  ]);
  return { text: wish.text, entities: markPieces(wish.text, 'code', wish.current ?? ''), keyboard };
}
