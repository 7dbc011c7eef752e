import type { UsageReport } from '../../../core/accounts/index.ts';
import { drawBarChart } from '../../../core/charts/index.ts';
import { toShownName } from '../../framework/shown-name.ts';
import type { Locale } from '../../texts/locale.ts';
import { texts } from './texts/index.ts';

/** Number of models with a colour of their own; the others share one. */
const MAX_MODELS = 4;
const MAX_NAME = 30;
const DAY_MS = 86_400_000;
const DAYS = 30;

/**
 * Draws the last 30 days as bars, coloured by model: tokens, or images if there are no tokens.
 * @returns a PNG; undefined if there is no usage.
 */
export async function drawUsageChart(
  { days }: Pick<UsageReport, 'days'>,
  locale: Locale,
  nowMs: number,
): Promise<Buffer | undefined> {
  const words = texts[locale];
  const field = (['tokens', 'images'] as const).find((name) => days.some((row) => row[name] > 0));
  if (!field) return undefined;
  const totals = new Map<string, number>();
  for (const row of days) totals.set(row.model, (totals.get(row.model) ?? 0) + row[field]);
  const used = [...totals].filter(([, total]) => total > 0).sort(([, one], [, other]) => other - one);
  const shown = used.slice(0, MAX_MODELS).map(([model]) => model);
  const hasOthers = used.length > shown.length;
  const label = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const bars = Array.from({ length: DAYS }, (_, at) => {
    const moment = new Date(nowMs - (DAYS - 1 - at) * DAY_MS);
    const ofDay = days.filter(({ day }) => day === moment.toISOString().slice(0, 10));
    const amount = (isCounted: (model: string) => boolean) =>
      ofDay.reduce((sum, row) => sum + (isCounted(row.model) ? row[field] : 0), 0);
    const values = shown.map((model) => amount((name) => name === model));
    if (hasOthers) values.push(amount((name) => !shown.includes(name)));
    return { label: label.format(moment), values };
  });
  const number = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
  return drawBarChart({
    title: field === 'tokens' ? words.tokensChart : words.imagesChart,
    parts: [...shown.map(shorten), ...(hasOthers ? [words.others] : [])],
    bars,
    formatNumber: (value) => number.format(value),
  });
}

/** Keeps the end of a long name, which distinguishes models better than the start. */
function shorten(model: string): string {
  const name = toShownName(model);
  return name.length <= MAX_NAME ? name : `…${name.slice(-MAX_NAME)}`;
}
