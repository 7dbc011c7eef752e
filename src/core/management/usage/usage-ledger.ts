import { sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import type { UsageRecorder } from '../../accounts/index.ts';
import type { Page, PageRequest } from '../page.ts';
import { hasCode, type Period, toPeriod, type UsageFilter } from './usage-filter.ts';
import { type Grouping, groupUsage, type UsageGroup } from './usage-groups.ts';
import { countUsage, listUsage, type UsageRow } from './usage-rows.ts';

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

/**
 * Reads the usage ledger. Entries that another process recorded within the last second may be missing.
 * @throws UnknownTimeZoneError; QueryTooSlowError if the database needs more than ten seconds; TooManyRowsError.
 */
export type UsageLedger = ReturnType<typeof createUsageLedger>;

/** Postgres: query_canceled. */
const QUERY_CANCELED = '57014';

export interface UsageLedgerDeps {
  readonly db: Database;
  readonly recorder: Pick<UsageRecorder, 'flush'>;
  /** Maximum number of rows that a query may sum up, or search by columns without an index. Default: unlimited. */
  readonly maxRowsRead?: number | undefined;
}

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
  const readFound: typeof read = (filter, query) =>
    read(filter, async (tx, period) => {
      if (isSearch(filter)) await checkRows(tx, filter, period);
      return query(tx, period);
    });
  return {
    list: (filter: UsageFilter, page: PageRequest): Promise<Page<UsageRow>> =>
      readFound(filter, (tx, period) => listUsage(tx, filter, period, page)),
    group: (filter: UsageFilter, grouping: Grouping, page: PageRequest): Promise<Page<UsageGroup>> =>
      read(filter, async (tx, period) => {
        await checkRows(tx, filter, period);
        return groupUsage(tx, filter, { ...period, grouping }, page);
      }),
    /** Counts rows, but not beyond `max`. */
    count: (filter: UsageFilter, max: number): Promise<number> =>
      readFound(filter, (tx, period) => countUsage(tx, filter, period, max)),
  };
}

/** Returns whether the filter has columns without an index: all rows of the period are read. */
function isSearch({ keyId, chatId, model, provider, kind }: UsageFilter): boolean {
  return [keyId, chatId, model, provider, kind].some((value) => value !== undefined);
}
