import { type MonthlySummary, toMonthBefore } from '../../../core/administration/index.ts';
import { type ChartFile, drawDailyChart, listChartKinds } from '../../kit/charts.ts';
import type { KeyboardButton } from '../../kit/keyboards.ts';
import { toShownName } from '../../kit/names.ts';
import { markParts, type View } from '../../kit/views.ts';
import type { Locale } from '../../texts/locale.ts';
import { texts } from './texts.ts';

/** Returns a summary as text: sums, the month before, and the most expensive models and users. */
export function toSummaryView(locale: Locale, summary: MonthlySummary): View {
  const words = texts[locale];
  const { total, before, month, isRunning } = summary;
  const models = summary.models.map((model) => ({ ...model, name: toShownName(model.model) }));
  const lines = [
    (isRunning ? words.monthSoFar : words.wholeMonth)(toMonthName(locale, month)),
    '',
    words.cost(total),
    words.requestsOf(total.requests, total.activeUsers),
    words.amounts(total.tokens, total.images),
    '',
    words.before(toMonthName(locale, toMonthBefore(month)), before.requests, before),
    ...(!isRunning && total.costUsd !== undefined && before.costUsd
      ? [words.change(total.costUsd / before.costUsd - 1)]
      : []),
    ...(models.length === 0
      ? []
      : ['', words.topModels, ...models.map(({ name, ...sum }) => words.top(name, sum.requests, sum))]),
    ...(summary.users.length === 0
      ? []
      : [
          '',
          words.topUsers,
          ...summary.users.map(({ userId, ...sum }) => words.top(words.user(userId), sum.requests, sum)),
        ]),
  ];
  const text = lines.join('\n');
  return { text, entities: markParts(text, 'code', ...models.map(({ name }) => name)) };
}

/** Draws dollars a day by model, or tokens or images if no price is known. Undefined for a month without usage. */
export async function drawSummaryChart(
  locale: Locale,
  { days, month }: MonthlySummary,
): Promise<ChartFile | undefined> {
  const words = texts[locale];
  const kind = listChartKinds(days).toSorted((one) => (one === 'dollars' ? -1 : 0))[0];
  if (!kind) return undefined;
  const [year = 0, monthNumber = 0] = month.split('-').map(Number);
  const lastDay = Date.UTC(year, monthNumber, 0);
  const dayCount = new Date(lastDay).getUTCDate();
  const options = { kind, locale, title: words.perDay[kind], others: words.others, until: lastDay, dayCount };
  return { bytes: await drawDailyChart(days, options), name: `summary-${month}.png` };
}

/** Returns the buttons below a summary. @param isOn whether the admin gets one each month. */
export function listSummaryButtons(locale: Locale, month: string, isOn: boolean): KeyboardButton[][] {
  const words = texts[locale];
  const before = toMonthBefore(month);
  return [
    [{ text: `‹ ${toMonthName(locale, before)}`, action: { kind: 'show-month', month: before } }],
    [
      {
        text: isOn ? words.stopSummaries : words.sendSummaries,
        action: { kind: 'set-monthly-summary', month, isOn: !isOn },
      },
    ],
  ];
}

/** Returns `November 2026`. */
function toMonthName(locale: Locale, month: string): string {
  const format = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' });
  const name = format.format(new Date(`${month}-01T00:00:00Z`));
  return `${name.charAt(0).toLocaleUpperCase(locale)}${name.slice(1)} ${month.slice(0, 4)}`;
}
