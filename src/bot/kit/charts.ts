import { drawBarChart } from '../../core/charts/index.ts';
import { toUtcDay } from '../../lib/utc-date.ts';
import type { Locale } from '../texts/locale.ts';
import { toShownName } from './shown-name.ts';

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

export interface DailyChartOptions {
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
const MAX_NAME = 30;
const DAY_MS = 86_400_000;

/** Returns the kinds of charts that have anything to show. */
export function listChartKinds(days: readonly DayUse[]): readonly ChartKind[] {
  return CHART_KINDS.filter((kind) => days.some((row) => amountOf(row, kind) > 0));
}

/** Draws days as bars, coloured by model. @returns a PNG. */
export function drawDailyChart(days: readonly DayUse[], options: DailyChartOptions): Promise<Buffer> {
  const { kind, locale, title, others, until, dayCount } = options;
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

/** Keeps the end of a long name, which distinguishes models better than the start. */
function shorten(model: string): string {
  const name = toShownName(model);
  return name.length <= MAX_NAME ? name : `…${name.slice(-MAX_NAME)}`;
}
