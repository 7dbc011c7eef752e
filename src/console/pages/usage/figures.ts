import type { UsageGroup } from '../../api/types.ts';
import type { Series } from '../../ui/chart.tsx';

/** What the chart shows. */
export type Figure = 'cost_usd' | 'tokens' | 'requests';

const DAY_MS = 86_400_000;
/** Models with a colour of their own; the others are added up. */
const MAX_SERIES = 6;

/** Lists the last days including today, in a time zone: `2026-11-24`. */
export function listDays(count: number, timeZone: string, nowMs = Date.now()): readonly string[] {
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(nowMs);
  const last = Date.parse(today);
  return Array.from({ length: count }, (_, index) =>
    new Date(last - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** Returns the values of each model over the days, the largest sum first. */
export function toSeries(
  groups: readonly UsageGroup[],
  days: readonly string[],
  figure: Figure,
  others: string,
): readonly Series[] {
  const sorted = sumByModel(groups).toSorted((one, other) => other[figure] - one[figure]);
  const named = sorted.slice(0, sorted.length > MAX_SERIES ? MAX_SERIES - 1 : MAX_SERIES).map(({ model }) => model);
  const toName = ({ model = '' }: UsageGroup) => (named.includes(model) ? model : others);
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

/** Returns the sums of each model, the most used one first. */
export function sumByModel(groups: readonly UsageGroup[]) {
  const models = Map.groupBy(groups, ({ model = '' }) => model);
  return [...models]
    .map(([model, rows]) => ({
      model,
      images: rows.reduce((sum, { images }) => sum + images, 0),
      requests: rows.reduce((sum, { requests }) => sum + requests, 0),
      tokens: rows.reduce((sum, row) => sum + toFigures(row).tokens, 0),
      cost_usd: rows.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
    }))
    .sort((one, other) => other.requests - one.requests);
}

function toFigures({ cost_usd, requests, prompt_tokens, completion_tokens }: UsageGroup) {
  return { cost_usd, requests, tokens: prompt_tokens + completion_tokens };
}
