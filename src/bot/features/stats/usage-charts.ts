import { InputFile } from 'grammy';
import { drawBarChart } from '../../../core/charts/index.ts';
import { toUtcDay } from '../../../lib/dates.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import type { Locale } from '../../../texts/locale.ts';
import type { BotContext } from '../../kit/context.ts';
import { toShownName } from '../../kit/names.ts';
import { showView, type View } from '../../kit/views.ts';

/** Amounts in a `DayUse` that a chart can show. */
export const CHART_KINDS = ['tokens', 'images', 'dollars'] as const;
export type ChartKind = (typeof CHART_KINDS)[number];

/** Usage of a model on a UTC day, such as `2026-11-21`. */
export interface DayUse {
  readonly day: string;
  readonly model: string;
  readonly tokens: number;
  readonly images: number;
  readonly costUsd: number | undefined;
}

/** Returns the kinds of charts that have anything to show. */
export function listChartKinds(days: readonly DayUse[]): readonly ChartKind[] {
  return CHART_KINDS.filter((kind) => days.some((row) => amountOf(row, kind) > 0));
}

export interface DailyChartParams {
  readonly kind: ChartKind;
  readonly locale: Locale;
  readonly title: string;
  /** Name of all models that have no colour of their own. */
  readonly others: string;
  /** A moment of the last day. Unix milliseconds. */
  readonly until: number;
  readonly dayCount: number;
}

/** Number of models with a colour of their own; the others share one. */
const MAX_MODELS = 4;

/** Draws days as bars, coloured by model. @returns a PNG. */
export function drawDailyChart(days: readonly DayUse[], params: DailyChartParams): Promise<Buffer> {
  const { kind, locale, title, others, until, dayCount } = params;
  const totals = new Map<string, number>();
  for (const row of days) totals.set(row.model, (totals.get(row.model) ?? 0) + amountOf(row, kind));
  const used = [...totals].filter(([, total]) => total > 0).sort(([, one], [, other]) => other - one);
  const shown = used.slice(0, MAX_MODELS).map(([model]) => model);
  const hasOthers = used.length > shown.length;
  const points = listDays(locale, until, dayCount).map(({ day, label }) => {
    const ofDay = days.filter((row) => row.day === day);
    const sumOf = (isCounted: (model: string) => boolean) =>
      ofDay.reduce((sum, row) => sum + (isCounted(row.model) ? amountOf(row, kind) : 0), 0);
    const values = shown.map((model) => sumOf((name) => name === model));
    return { label, values: hasOthers ? [...values, sumOf((name) => !shown.includes(name))] : values };
  });
  return drawBarChart({
    title,
    series: [...shown.map(shorten), ...(hasOthers ? [others] : [])],
    points,
    hasFractions: kind === 'dollars',
    formatNumber: createFormat(locale, kind),
  });
}

const DAY_MS = 86_400_000;

/** Returns the UTC days up to a moment with their labels. */
export function listDays(locale: Locale, until: number, dayCount: number) {
  const label = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  return Array.from({ length: dayCount }, (_, at) => {
    const moment = until - (dayCount - 1 - at) * DAY_MS;
    return { day: toUtcDay(moment), label: label.format(moment) };
  });
}

function amountOf({ costUsd = 0, ...row }: DayUse, kind: ChartKind): number {
  return kind === 'dollars' ? costUsd : row[kind];
}

function createFormat(locale: Locale, kind: ChartKind): (value: number) => string {
  const number = new Intl.NumberFormat(
    locale,
    kind === 'dollars'
      ? { style: 'currency', currency: 'USD', notation: 'compact', maximumSignificantDigits: 3 }
      : { notation: 'compact', maximumFractionDigits: 1 },
  );
  return (value) => number.format(value);
}

const MAX_NAME = 30;

/** Keeps the end of a long name, which distinguishes models better than the start. */
function shorten(model: string): string {
  const name = toShownName(model);
  return name.length <= MAX_NAME ? name : `…${name.slice(-MAX_NAME)}`;
}

/** An image in PNG. */
export interface ChartFile {
  readonly bytes: Buffer;
  readonly name: string;
}

/** Sends a view below a chart; a text that is too long for a caption, or has no chart, is a message of its own. */
export async function sendChart(ctx: BotContext, chart: ChartFile | undefined, view: View): Promise<void> {
  if (!chart) return showView(ctx, view);
  await ctx.replyWithPhoto(toInputFile(chart), { ...toCaption(view), ...toMarkup(view) });
  if (!fitsCaption(view)) await ctx.reply(view.text, { entities: [...(view.entities ?? [])] });
}

/** Replaces the chart in the message whose button was pressed, or sends a new message if it is gone. */
export async function replaceChart(ctx: BotContext, chart: ChartFile, view: View): Promise<void> {
  try {
    await ctx.editMessageMedia({ type: 'photo', media: toInputFile(chart), ...toCaption(view) }, toMarkup(view));
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (kind === 'not-modified') return;
    if (kind !== 'message-gone') throw error;
    await sendChart(ctx, chart, view);
  }
}

/** Returns the view as the caption of a photo; nothing if it is too long. */
export function toCaption(view: View) {
  return fitsCaption(view) ? { caption: view.text, caption_entities: [...(view.entities ?? [])] } : {};
}

/** Telegram's limit for a caption. */
const MAX_CAPTION = 1024;

function fitsCaption({ text }: View): boolean {
  return text.length <= MAX_CAPTION;
}

function toMarkup({ keyboard }: View) {
  return keyboard ? { reply_markup: keyboard } : {};
}

function toInputFile({ bytes, name }: ChartFile): InputFile {
  return new InputFile(bytes, name);
}
