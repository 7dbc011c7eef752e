import type { UsageGroup } from '../../../api/types.ts';
import type { Series } from '../../../ui/chart.tsx';

/** Amount that the chart shows. */
export type Figure = 'cost_usd' | 'tokens' | 'requests';

const DAY_MS = 86_400_000;
/** Names with a colour of their own; the others are added up. */
const MAX_SERIES = 6;

/** Lists the last days including today, in a time zone: `2026-11-24`. */
export function listDays(count: number, timeZone: string, nowMs = Date.now()): readonly string[] {
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(nowMs);
  const last = Date.parse(today);
  return Array.from({ length: count }, (_, index) =>
    new Date(last - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** Returns what groups are added up by, such as their model. */
export type NameOf = (group: UsageGroup) => string;

interface SeriesOptions {
  readonly days: readonly string[];
  readonly figure: Figure;
  readonly nameOf: NameOf;
  /** Name of the sum of all that have no colour of their own. */
  readonly others: string;
}

/** Returns the values of each name over the days, the largest sum first. */
export function toSeries(
  groups: readonly UsageGroup[],
  { days, figure, nameOf, others }: SeriesOptions,
): readonly Series[] {
  const sorted = sumBy(groups, nameOf).toSorted((one, other) => other[figure] - one[figure]);
  const named = sorted.slice(0, sorted.length > MAX_SERIES ? MAX_SERIES - 1 : MAX_SERIES).map(({ name }) => name);
  const toName = (group: UsageGroup) => (named.includes(nameOf(group)) ? nameOf(group) : others);
  const names = sorted.length > named.length ? [...named, others] : named;
  return names.map((name) => ({
    name,
    values: days.map((day) =>
      groups
        .filter((group) => group.day === day && toName(group) === name)
        .reduce((sum, group) => sum + toFigures(group)[figure], 0),
    ),
  }));
}

/** Sums of the usage with one name. */
export type Sums = ReturnType<typeof sumBy>[number];

/** Returns the sums of each name, the most expensive one first. */
export function sumBy(groups: readonly UsageGroup[], nameOf: NameOf) {
  return [...Map.groupBy(groups, nameOf)]
    .map(([name, rows]) => ({
      name,
      images: rows.reduce((sum, { images }) => sum + images, 0),
      requests: rows.reduce((sum, { requests }) => sum + requests, 0),
      tokens: rows.reduce((sum, row) => sum + toFigures(row).tokens, 0),
      cost_usd: rows.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
    }))
    .sort((one, other) => other.cost_usd - one.cost_usd || other.requests - one.requests);
}

function toFigures({ cost_usd, requests, prompt_tokens, completion_tokens }: UsageGroup) {
  return { cost_usd, requests, tokens: prompt_tokens + completion_tokens };
}
