import type { ComponentChildren } from 'preact';
import { useCallback, useMemo, useState } from 'preact/hooks';
import { defineTexts } from '../../../texts/define-texts.ts';
import { dollarsOf } from '../../../texts/money.ts';
import { pluralOf } from '../../../texts/plural.ts';
import type { UsageGroup } from '../../api/types.ts';
import { useCountFormat, useTimeZone } from '../../formats.ts';
import { Card } from '../../ui/card.tsx';
import { Chart, type Series } from '../../ui/chart.tsx';
import { Choice } from '../../ui/field.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useLocale, useTexts } from '../../view-context.ts';

interface ModelUsageProps {
  readonly days: readonly string[];
  /** Groups of days and models. */
  readonly groups: readonly UsageGroup[];
}

/** Usage of each model: by day and as a whole. */
export function ModelUsage({ days, groups }: ModelUsageProps) {
  const words = useTexts(texts);
  if (groups.length === 0) return <p class="dim">{words.none}</p>;
  return (
    <>
      <UsageChart days={days} groups={groups} nameOf={toModel} />
      <Card title={words.byModel}>
        <UsageTable title={words.model} groups={groups} nameOf={toModel} />
      </Card>
    </>
  );
}

const toModel = ({ model = '' }: UsageGroup) => model;

const FIGURES = ['cost_usd', 'tokens', 'requests'] as const;
/** Amount that the chart shows. */
type Figure = (typeof FIGURES)[number];

interface UsageChartProps {
  readonly days: readonly string[];
  /** Groups of days. */
  readonly groups: readonly UsageGroup[];
  /** Must be the same function in each rendering. */
  readonly nameOf: NameOf;
}

/** Cost, tokens or requests of each day. */
export function UsageChart({ days, groups, nameOf }: UsageChartProps) {
  const words = useTexts(texts);
  const locale = useLocale();
  const [figure, setFigure] = useState<Figure>('requests');
  const series = useMemo(
    () => toSeries(groups, { days, figure, nameOf, others: words.others }),
    [groups, days, figure, nameOf, words],
  );
  const format = useCallback(
    (value: number) =>
      figure === 'cost_usd'
        ? dollarsOf(locale, value)
        : new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value),
    [figure, locale],
  );
  return (
    <Card
      title={words.perDay[figure]}
      actions={
        <Choice
          label={words.shown}
          value={figure}
          options={FIGURES.map((name) => [name, words.figures[name]])}
          onChange={setFigure}
        />
      }
    >
      <Chart label={words.perDay[figure]} days={days} series={series} formatValue={format} />
    </Card>
  );
}

interface UsageTableProps {
  /** Title of the names, such as `Model`. */
  readonly title: string;
  readonly groups: readonly UsageGroup[];
  readonly nameOf: NameOf;
  /** Default: the name. */
  readonly cell?: (name: string) => ComponentChildren;
}

/** Usage added up by a name. */
export function UsageTable({ title, groups, nameOf, cell = (name) => name }: UsageTableProps) {
  const words = useTexts(texts);
  const locale = useLocale();
  const formatCount = useCountFormat();
  const columns: readonly Column<Sums>[] = [
    { title, cell: ({ name }) => cell(name) },
    { title: words.figures.requests, isNumber: true, cell: ({ requests }) => formatCount(requests) },
    { title: words.figures.tokens, isNumber: true, cell: ({ tokens }) => formatCount(tokens) },
    { title: words.figures.images, isNumber: true, cell: ({ images }) => formatCount(images) },
    { title: words.figures.cost_usd, isNumber: true, cell: ({ cost_usd }) => dollarsOf(locale, cost_usd) },
  ];
  const unpriced = groups.reduce((sum, group) => sum + group.requests_without_cost, 0);
  return (
    <>
      <Table label={title} columns={columns} rows={sumBy(groups, nameOf)} keyOf={({ name }) => name} />
      {unpriced > 0 && <p class="dim">{words.unpriced(unpriced)}</p>}
    </>
  );
}

const DAY_MS = 86_400_000;
/** Names with a colour of their own; the others are added up. */
const MAX_SERIES = 6;

/** Lists the last days including today, in a time zone: `2026-11-24`. */
function listDays(count: number, timeZone: string, nowMs = Date.now()): readonly string[] {
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(nowMs);
  const last = Date.parse(today);
  return Array.from({ length: count }, (_, index) =>
    new Date(last - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** Returns what groups are added up by, such as their model. */
type NameOf = (group: UsageGroup) => string;

interface SeriesParams {
  readonly days: readonly string[];
  readonly figure: Figure;
  readonly nameOf: NameOf;
  /** Name of the sum of all that have no colour of their own. */
  readonly others: string;
}

/** Returns the values of each name over the days, the largest sum first. */
function toSeries(groups: readonly UsageGroup[], { days, figure, nameOf, others }: SeriesParams): readonly Series[] {
  const sorted = sumBy(groups, nameOf).toSorted((one, other) => other[figure] - one[figure]);
  const named = sorted.slice(0, sorted.length > MAX_SERIES ? MAX_SERIES - 1 : MAX_SERIES).map(({ name }) => name);
  const toName = (group: UsageGroup) => (named.includes(nameOf(group)) ? nameOf(group) : others);
  const names = sorted.length > named.length ? [...named, others] : named;
  return names.map((name) => ({
    name,
    values: days.map((day) =>
      groups
        .filter((group) => group.day === day && toName(group) === name)
        .reduce((sum, group) => sum + group[figure], 0),
    ),
  }));
}

/** Sums of the usage with one name. */
type Sums = ReturnType<typeof sumBy>[number];

/** Returns the sums of each name, the most expensive one first. */
function sumBy(groups: readonly UsageGroup[], nameOf: NameOf) {
  return [...Map.groupBy(groups, nameOf)]
    .map(([name, rows]) => ({
      name,
      images: rows.reduce((sum, { images }) => sum + images, 0),
      requests: rows.reduce((sum, { requests }) => sum + requests, 0),
      tokens: rows.reduce((sum, { tokens }) => sum + tokens, 0),
      cost_usd: rows.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
    }))
    .sort((one, other) => other.cost_usd - one.cost_usd || other.requests - one.requests);
}

const PERIODS = ['7', '30', '90'] as const;
type Period = (typeof PERIODS)[number];

/** Returns the chosen period, in the user's time zone. */
export function usePeriod() {
  const [period, setPeriod] = useState<Period>('30');
  return { ...useDays(Number(period)), period, setPeriod };
}

/** Returns the last days in the user's time zone. */
export function useDays(count: number) {
  const timeZone = useTimeZone();
  const days = useMemo(() => listDays(count, timeZone), [count, timeZone]);
  /** Query parameters that select them. */
  const filter = `from=${days[0]}&time_zone=${encodeURIComponent(timeZone)}`;
  return { days, filter };
}

/** A choice of the period. */
export function PeriodChoice({ period, setPeriod }: Pick<ReturnType<typeof usePeriod>, 'period' | 'setPeriod'>) {
  const words = useTexts(texts);
  const options = PERIODS.map((count) => [count, words.days(Number(count))] as const);
  return <Choice label={words.period} value={period} options={options} onChange={setPeriod} />;
}

export const texts = defineTexts({
  en: {
    days: (count: number) => `${count} days`,
    period: 'Period',
    figures: { cost_usd: 'Cost', tokens: 'Tokens', requests: 'Requests', images: 'Images' },
    shown: 'Show',
    perDay: { cost_usd: 'Cost per day', tokens: 'Tokens per day', requests: 'Requests per day' },
    byModel: 'By model',
    model: 'Model',
    others: 'Others',
    none: 'No usage in this period.',
    unpriced: (count: number) =>
      `The cost of ${pluralOf('en', count, { one: 'request', other: 'requests' })} is not known.`,
    csv: 'Download CSV',
  },
  ru: {
    days: (count) => pluralOf('ru', count, { one: 'день', few: 'дня', other: 'дней' }),
    period: 'Период',
    figures: { cost_usd: 'Стоимость', tokens: 'Токены', requests: 'Запросы', images: 'Картинки' },
    shown: 'Показать',
    perDay: { cost_usd: 'Стоимость по дням', tokens: 'Токены по дням', requests: 'Запросы по дням' },
    byModel: 'По моделям',
    model: 'Модель',
    others: 'Остальные',
    none: 'За этот период запросов не было.',
    unpriced: (count) =>
      `Цена неизвестна у ${pluralOf('ru', count, { one: 'запроса', few: 'запросов', other: 'запросов' })}.`,
    csv: 'Скачать CSV',
  },
});
