import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { usage } from '../../../database/schema/index.ts';
import { ledgerSums } from '../../accounts/index.ts';
import { type Page, type PageRequest, toPage } from '../page.ts';
import { type Period, toColumnCondition, toCondition, type UsageFilter } from './usage-filter.ts';

/** Columns by which usage can be grouped. 0: rows without a key or chat. */
const COLUMNS = {
  model: { value: sql`${usage.model}`, type: 'text' },
  provider: { value: sql`${usage.provider}`, type: 'text' },
  kind: { value: sql`${usage.kind}`, type: 'text' },
  user: { value: sql`${usage.userId}`, type: 'bigint' },
  key: { value: sql`coalesce(${usage.keyId}, 0)`, type: 'bigint' },
  chat: { value: sql`coalesce(${usage.chatId}, 0)`, type: 'bigint' },
} as const;
const PERIODS = ['day', 'month'] as const;

type Column = keyof typeof COLUMNS;
type CalendarPeriod = (typeof PERIODS)[number];

/** By what usage is grouped: a calendar period, a column, or both. */
export interface Grouping {
  readonly period?: CalendarPeriod | undefined;
  readonly column?: Column | undefined;
  /** True: the most expensive groups of the column first, without further pages. Default: by period and value. */
  readonly isByCost?: boolean | undefined;
}
export const GROUPING_PERIODS: readonly CalendarPeriod[] = PERIODS;
export const GROUPING_COLUMNS = Object.keys(COLUMNS) as Column[];

/** Sums over the usage of one group. Tokens and amounts that providers did not report count as 0. */
export interface UsageGroup extends UsageSums {
  /** First day of the period in the time zone of the query, such as `2026-11-23`. */
  readonly periodStart: string | undefined;
  /** Value of the column; `0` for usage without a key or a chat. */
  readonly value: string | undefined;
}

export interface UsageSums {
  readonly requests: number;
  /** As in all reports: prompt and completion tokens, without those of images. */
  readonly tokens: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  readonly audioInputTokens: number;
  readonly audioOutputTokens: number;
  readonly images: number;
  readonly audioSeconds: number;
  readonly characters: number;
  /** US dollars of the requests whose cost is known. */
  readonly costUsd: number;
  /** Number of requests whose cost is not known. */
  readonly unknownCosts: number;
}

/** Sums up usage by groups. */
export async function groupUsage(
  db: Database,
  filter: UsageFilter,
  { grouping, ...period }: Period & { readonly grouping: Grouping },
  { limit, after }: PageRequest,
): Promise<Page<UsageGroup>> {
  const place = after && { periodStart: String(after[0]), value: String(after[1]) };
  const calendar = grouping.period && { period: grouping.period, column: grouping.column };
  const toItem = (row: GroupRow): UsageGroup => ({
    ...row,
    periodStart: grouping.period && row.periodStart,
    value: grouping.column && row.value,
  });
  if (grouping.isByCost) {
    const groups = toColumnGroups(filter, period, grouping.column ?? 'model', undefined);
    return { items: (await readGroups(db, groups, limit, MOST_EXPENSIVE_FIRST)).map(toItem), next: undefined };
  }
  const rows = calendar
    ? await readCalendarGroups(db, filter, period, calendar, { limit: limit + 1, place })
    : await readGroups(db, toColumnGroups(filter, period, grouping.column ?? 'model', place), limit + 1);
  return toPage(rows, limit, { toItem, toKey: (row) => [row.periodStart ?? '', row.value ?? ''] });
}

/** Counts groups, but not beyond `max`. */
export async function countGroups(
  db: Database,
  filter: UsageFilter,
  { grouping: { period, column }, ...times }: Period & { readonly grouping: Grouping },
  max: number,
): Promise<number> {
  const unit = period && sql`date_trunc(${period}, ${usage.createdAt} at time zone ${filter.timeZone})`;
  const keys = [unit, column && COLUMNS[column].value].filter((key) => key !== undefined);
  const groups = sql`(
    select distinct ${sql.join(keys, sql`, `)} from ${usage} where ${toCondition(filter, times)} limit ${max}
  ) as groups`;
  const [row] = await db.select({ count: sql<string>`count(*)` }).from(groups);
  return Number(row?.count ?? 0);
}

/** Place of a group in the list. */
interface Place {
  readonly periodStart: string;
  readonly value: string;
}

type GroupRow = Awaited<ReturnType<typeof readGroups>>[number];

const MOST_EXPENSIVE_FIRST = [sql`cost_usd desc`, sql`requests desc`, sql`value`];

/** As pages begin after a place. A bare `value` would be the text of the result: 10 before 9. */
const BY_PLACE = [sql`groups.period_start`, sql`groups.value`];

function readGroups(db: Database, groups: SQL, limit: number, order = BY_PLACE) {
  return db
    .select({ periodStart: sql<string>`period_start::text`, value: sql<string>`value::text`, ...SUMS })
    .from(groups)
    .orderBy(...order)
    .limit(limit);
}

/** Calendar periods that are summed up by one statement, so that a page reads little more than it shows. */
const PERIODS_AT_ONCE = { day: 31, month: 2 };

/** Reads groups of calendar periods, a few periods at a time, until there are enough groups. */
async function readCalendarGroups(
  db: Database,
  filter: UsageFilter,
  { from, to }: Period,
  calendar: CalendarGrouping,
  { limit, place }: { readonly limit: number; readonly place: Place | undefined },
): Promise<GroupRow[]> {
  const periods = await listPeriods(db, filter, { from, to }, calendar.period, place);
  const size = Math.max(PERIODS_AT_ONCE[calendar.period], calendar.column ? 0 : limit);
  const rows: GroupRow[] = [];
  for (let start = 0; start < periods.length && rows.length < limit; start += size) {
    const groups = toCalendarGroups(filter, periods.slice(start, start + size), calendar.column, place);
    rows.push(...(await readGroups(db, groups, limit - rows.length)));
  }
  return rows;
}

/** Reads the columns of `MEASURES`. */
const sumOf = (name: string) => sql<number>`${sql.raw(name)}`.mapWith(Number);
const SUMS = {
  requests: sumOf('requests'),
  tokens: sumOf('tokens'),
  promptTokens: sumOf('prompt_tokens'),
  completionTokens: sumOf('completion_tokens'),
  cachedTokens: sumOf('cached_tokens'),
  cacheWriteTokens: sumOf('cache_write_tokens'),
  reasoningTokens: sumOf('reasoning_tokens'),
  audioInputTokens: sumOf('audio_input_tokens'),
  audioOutputTokens: sumOf('audio_output_tokens'),
  images: sumOf('images'),
  audioSeconds: sumOf('audio_seconds'),
  characters: sumOf('characters'),
  costUsd: sumOf('cost_usd'),
  unknownCosts: sumOf('unknown_costs'),
};

const MEASURES = sql`
  ${ledgerSums.requests} as requests,
  ${ledgerSums.tokens} as tokens,
  sum(${usage.promptTokens}) as prompt_tokens,
  sum(${usage.completionTokens}) as completion_tokens,
  coalesce(sum(${usage.cachedTokens}), 0) as cached_tokens,
  coalesce(sum(${usage.cacheWriteTokens}), 0) as cache_write_tokens,
  coalesce(sum(${usage.reasoningTokens}), 0) as reasoning_tokens,
  coalesce(sum(${usage.audioInputTokens}), 0) as audio_input_tokens,
  coalesce(sum(${usage.audioOutputTokens}), 0) as audio_output_tokens,
  ${ledgerSums.images} as images,
  coalesce(sum(${usage.audioSeconds}), 0) as audio_seconds,
  coalesce(sum(${usage.characters}), 0) as characters,
  coalesce(${ledgerSums.costUsd}, 0) as cost_usd,
  ${ledgerSums.unpriced} as unknown_costs`;

/**
 * Returns the groups of a column. Materialized: a limit on the groups would make Postgres read the table in the order
 * of an index, which takes longer.
 */
function toColumnGroups(filter: UsageFilter, period: Period, column: Column, place: Place | undefined): SQL {
  const { value, type } = COLUMNS[column];
  const isAfter = place ? sql`and ${value} > ${place.value}::${sql.raw(type)}` : sql``;
  return sql`(
    with groups as materialized (
      select null::text as period_start, ${value} as value, ${MEASURES}
      from ${usage}
      where ${toCondition(filter, period)} ${isAfter}
      group by ${value}
    )
    select * from groups
  ) as groups`;
}

interface CalendarGrouping {
  readonly period: CalendarPeriod;
  readonly column: Column | undefined;
}

/** A day or month of the time zone, cut to the period of the query. */
interface CalendarUnit {
  /** First day, such as `2026-11-01`. */
  readonly start: string;
  readonly from: string;
  readonly to: string;
}

/** Lists days or months, from that of the place on. */
function listPeriods(
  db: Database,
  { timeZone }: UsageFilter,
  { from, to }: Period,
  period: CalendarPeriod,
  place: Place | undefined,
): Promise<CalendarUnit[]> {
  const step = sql.raw(`interval '1 ${period}'`);
  const instant = (time: Date) => sql`${time.toISOString()}::timestamptz`;
  const local = (time: Date) => sql`(${instant(time)} at time zone ${timeZone})`;
  const first = place ? sql`${place.periodStart}::timestamp` : sql`date_trunc(${period}, ${local(from)})`;
  return db
    .select({
      start: sql<string>`began::date::text`,
      from: sql<string>`greatest(began at time zone ${timeZone}, ${instant(from)})::text`,
      to: sql<string>`least((began + ${step}) at time zone ${timeZone}, ${instant(to)})::text`,
    })
    .from(sql`generate_series(${first}, ${local(to)}, ${step}) as began`);
}

/**
 * Returns the groups of days or months. It reads each by the index on the time: grouping by a computed date would sort
 * all rows, because Postgres does not know how few dates there are.
 */
function toCalendarGroups(
  filter: UsageFilter,
  units: readonly CalendarUnit[],
  column: Column | undefined,
  place: Place | undefined,
): SQL {
  const { value, type } = column ? COLUMNS[column] : { value: sql`''::text`, type: 'text' };
  const conditions = toColumnCondition(filter);
  // Groups before the place are not summed up again.
  const isLater = place
    ? sql`and (unit.start > ${place.periodStart}::date or ${value} > ${place.value}::${sql.raw(type)})`
    : sql``;
  return sql`(
    select unit.start as period_start, sums.*
    from json_to_recordset(${JSON.stringify(units)}::json) as unit(start date, "from" timestamptz, "to" timestamptz)
    cross join lateral (
      select ${value} as value, ${MEASURES}
      from ${usage}
      where ${usage.createdAt} >= unit.from and ${usage.createdAt} < unit.to
        ${conditions ? sql`and ${conditions}` : sql``} ${isLater}
      group by ${value}
    ) as sums
  ) as groups`;
}
