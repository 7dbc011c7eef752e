import { and, desc, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { usage } from '../../../database/schema/index.ts';
import type { UsageRecorder } from '../../accounts/index.ts';
import { type Page, type PageRequest, toPage } from '../page.ts';
import { hasCode, type Period, toCondition, toPeriod, type UsageFilter } from './usage-filter.ts';
import { countGroups, type Grouping, groupUsage, type UsageGroup } from './usage-groups.ts';

/** A row of the usage ledger. */
export type UsageRow = typeof usage.$inferSelect;

/** Thrown if a query takes too long. */
export class QueryTooSlowError extends Error {
  override readonly name = 'QueryTooSlowError';
}

/** Thrown if a query would read more rows than one may. */
export class TooManyRowsError extends Error {
  override readonly name = 'TooManyRowsError';
  readonly maxRows: number;
  constructor(maxRows: number) {
    super(`The query reads more than ${maxRows} rows`);
    this.maxRows = maxRows;
  }
}

/** Postgres: query_canceled. */
const QUERY_CANCELED = '57014';

export interface UsageLedgerDeps {
  readonly db: Database;
  readonly recorder: Pick<UsageRecorder, 'flush'>;
  /** Maximum number of rows that a query may sum up, or search by columns without an index. Default: unlimited. */
  readonly maxRowsRead?: number | undefined;
}

/**
 * Reads the usage ledger. Entries that another process recorded within the last second may be missing.
 * @throws UnknownTimeZoneError; QueryTooSlowError if the database needs more than ten seconds; TooManyRowsError.
 */
export function createUsageLedger({ db, recorder, maxRowsRead }: UsageLedgerDeps) {
  const read = async <Result>(
    filter: UsageFilter,
    query: (tx: Database, period: Period) => Promise<Result>,
  ): Promise<Result> => {
    await recorder.flush();
    try {
      return await db.transaction(async (tx) => {
        // Compiling a query takes longer than running it here.
        await tx.execute(sql`select set_config('statement_timeout', '10s', true), set_config('jit', 'off', true)`);
        return query(tx, await toPeriod(tx, filter));
      });
    } catch (error) {
      if (hasCode(error, QUERY_CANCELED)) throw new QueryTooSlowError('The query took too long', { cause: error });
      throw error;
    }
  };
  const checkRows = async (tx: Database, { userId, from, to, timeZone }: UsageFilter, period: Period) => {
    if (maxRowsRead === undefined) return;
    const rows = await countUsage(tx, { userId, from, to, timeZone }, period, maxRowsRead + 1);
    if (rows > maxRowsRead) throw new TooManyRowsError(maxRowsRead);
  };
  const readChecked: typeof read = (filter, query) =>
    read(filter, async (tx, period) => {
      await checkRows(tx, filter, period);
      return query(tx, period);
    });
  const readFound: typeof read = (filter, query) =>
    isSearch(filter) ? readChecked(filter, query) : read(filter, query);
  return {
    /** Lists rows, newest first. */
    list: (filter: UsageFilter, page: PageRequest): Promise<Page<UsageRow>> =>
      readFound(filter, (tx, period) => listUsage(tx, filter, period, page)),
    group: (filter: UsageFilter, grouping: Grouping, page: PageRequest): Promise<Page<UsageGroup>> =>
      readChecked(filter, (tx, period) => groupUsage(tx, filter, { ...period, grouping }, page)),
    /** Counts groups, but not beyond `max`. */
    countGroups: (filter: UsageFilter, grouping: Grouping, max: number): Promise<number> =>
      readChecked(filter, (tx, period) => countGroups(tx, filter, { ...period, grouping }, max)),
    /** Counts rows, but not beyond `max`. */
    count: (filter: UsageFilter, max: number): Promise<number> =>
      readFound(filter, (tx, period) => countUsage(tx, filter, period, max)),
  };
}

/** Returns whether the filter has columns without an index: all rows of the period are read. */
function isSearch({ keyId, chatId, model, provider, kind }: UsageFilter): boolean {
  return [keyId, chatId, model, provider, kind].some((value) => value !== undefined);
}

/** Lists rows. Changes settings of the transaction. */
async function listUsage(
  db: Database,
  filter: UsageFilter,
  period: Period,
  { limit, after }: PageRequest,
): Promise<Page<UsageRow>> {
  // Without statistics, Postgres would sort the whole period instead of reading it in the order of an index.
  await db.execute(sql`select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)`);
  const rows = await db
    .select({ row: usage, micros: sql<string>`(extract(epoch from ${usage.createdAt}) * 1000000)::bigint` })
    .from(usage)
    .where(and(toCondition(filter, period), after && isAfter(String(after[0]), String(after[1]))))
    .orderBy(desc(usage.createdAt), desc(usage.id))
    .limit(limit + 1);
  return toPage(rows, limit, { toItem: ({ row }) => row, toKey: ({ row, micros }) => [String(micros), row.id] });
}

/** @param micros microseconds since the epoch: a JavaScript date has only milliseconds. */
function isAfter(micros: string, id: string): SQL {
  const time = sql`timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond'`;
  return sql`(${usage.createdAt}, ${usage.id}) < (${time}, ${id}::uuid)`;
}

async function countUsage(db: Database, filter: UsageFilter, period: Period, max: number): Promise<number> {
  const some = db.select({ one: sql`1` }).from(usage).where(toCondition(filter, period)).limit(max).as('some');
  const [row] = await db.select({ count: sql<string>`count(*)` }).from(some);
  return Number(row?.count ?? 0);
}
