import type { InlineKeyboardMarkup } from 'grammy/types';
import type { StoredImageJob } from '../../../core/image-jobs/index.ts';
import type { ButtonTarget } from '../../../core/interactions/index.ts';
import type { ModelEntry } from '../../../core/models/index.ts';
import { MODELS_PER_PAGE, toModelButton } from '../../choices/model-choice.ts';
import type { CallbackAction } from '../../kit/actions.ts';
import { type ActionButton, storeKeyboard, toPagedRows } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { markParts, type View } from '../../kit/views.ts';
import type { Texts } from '../../texts/locales.ts';
import { describeImageFailure, type ImageFailure, listImageRemedies } from './image-failure.ts';
import type { ImageJob } from './image-jobs.ts';
import { listModelsFor } from './image-models.ts';
import type { ImagineOptions } from './parse-imagine.ts';
import { texts } from './texts.ts';

const VARIATIONS_PER_ROW = 5;

/** Returns the buttons below generated images. */
export async function toResultKeyboard(
  services: BotServices,
  job: Pick<ImageJob, 'imageJobId' | 'texts'> & ButtonTarget & { readonly options: { readonly model: string } },
  imageIds: readonly number[],
): Promise<InlineKeyboardMarkup> {
  const { imageJobId } = job;
  const words = texts[job.texts.locale].buttons;
  const generated = { imageJobId, imageIds: [...imageIds] };
  const edits = services.catalogue.find(job.options.model)?.acceptsImages === true;
  const variations = (edits ? imageIds : []).map(
    (imageId, index): ActionButton => ({
      text: imageIds.length > 1 ? `${words.vary} ${index + 1}` : words.vary,
      action: { kind: 'vary-picture', imageJobId, imageId },
    }),
  );
  const again: ActionButton = { text: job.texts.buttons.again, action: { kind: 'draw-again', imageJobId } };
  const ratio: ActionButton = { text: words.ratio, action: { kind: 'list-ratios', ...generated } };
  const files: ActionButton = { text: words.fullSize, action: { kind: 'send-originals', ...generated } };
  const fileRow = imageIds.length > 0 ? [ratio, files] : [ratio];
  if (variations.length < 2) return storeKeyboard(services, job, [[again, ...variations], fileRow]);
  const rows = Array.from({ length: Math.ceil(variations.length / VARIATIONS_PER_ROW) }, (_, row) =>
    variations.slice(row * VARIATIONS_PER_ROW, (row + 1) * VARIATIONS_PER_ROW),
  );
  return storeKeyboard(services, job, [[again, ...fileRow], ...rows]);
}

/**
 * Returns the failure message with buttons for the remedies.
 * @param imageIds images that were generated but not delivered.
 */
export async function toFailureView(
  services: BotServices,
  job: Pick<ImageJob, 'imageJobId' | 'texts' | 'options'> & ButtonTarget,
  failure: ImageFailure,
  imageIds: readonly number[] = [],
): Promise<View> {
  const { imageJobId, options } = job;
  const { buttons } = job.texts;
  const remedies = listImageRemedies(failure);
  const hasOthers = listModelsFor(services.catalogue, options).some(({ id }) => id !== options.model);
  const row: ActionButton[] = [];
  if (imageIds.length > 0) {
    const action: CallbackAction = { kind: 'send-originals', imageJobId, imageIds: [...imageIds] };
    row.push({ text: texts[job.texts.locale].buttons.fullSize, action });
  }
  if (remedies.again) row.push({ text: buttons.again, action: { kind: 'retry-drawing', imageJobId } });
  if (remedies.otherModel && hasOthers) {
    row.push({ text: buttons.otherModel, action: { kind: 'list-drawing-models', imageJobId, page: 0 } });
  }
  const text = describeImageFailure(job.texts, failure, options.model);
  const keyboard = row.length > 0 ? await storeKeyboard(services, job, [row]) : undefined;
  return { text, entities: markParts(text, 'code', options.model), keyboard };
}

/** Returns the message for a job that ended with the process, during generation or delivery. */
export async function toInterruptedView(
  services: BotServices,
  { id: imageJobId, userId, chatId, imageIds }: StoredImageJob,
  options: ImagineOptions,
  shared: Texts,
): Promise<View> {
  const job = { imageJobId, userId, chatId, texts: shared, options: { ...options, model: options.model ?? '' } };
  const kind = imageIds.length > 0 ? 'undelivered' : 'interrupted';
  return toFailureView(services, job, { kind }, imageIds);
}

/** From wide to tall, in rows that fit on a phone. */
const RATIO_ROWS = [
  ['21:9', '16:9', '3:2'],
  ['4:3', '5:4', '1:1'],
  ['4:5', '3:4', '2:3'],
  ['9:16', '9:21'],
] as const;

/** Returns a grid of the supported ratios, and a last row. */
export async function toRatioKeyboard(
  services: BotServices,
  target: ButtonTarget,
  toAction: (ratio: string) => CallbackAction,
  last: ActionButton,
): Promise<InlineKeyboardMarkup> {
  const grid = RATIO_ROWS.map((row) => row.map((ratio): ActionButton => ({ text: ratio, action: toAction(ratio) })));
  return storeKeyboard(services, target, [...grid, [last]]);
}

/** Returns one page of the menu of image models. */
export async function toImageModelMenu(
  services: BotServices,
  wanted: {
    readonly target: ButtonTarget;
    readonly text: string;
    readonly current: string | undefined;
    readonly page: number;
    readonly models: readonly ModelEntry[];
    readonly toAction: (model: string) => CallbackAction;
    readonly toPageAction: (page: number) => CallbackAction;
    readonly last: ActionButton;
  },
): Promise<View> {
  const { shown, pagerRow } = toPagedRows(wanted.models, wanted.page, MODELS_PER_PAGE, wanted.toPageAction);
  const keyboard = await storeKeyboard(services, wanted.target, [
    ...shown.map((entry) => [toModelButton(entry, wanted.current, wanted.toAction(entry.id))]),
    pagerRow,
    [wanted.last],
  ]);
  return { text: wanted.text, entities: markParts(wanted.text, 'code', wanted.current ?? ''), keyboard };
}
