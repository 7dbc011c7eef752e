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

/**
 * Reads the usage ledger. Entries that another process recorded within the last second may be missing.
 * @throws UnknownTimeZoneError; QueryTooSlowError if the database needs more than ten seconds.
 */
export interface UsageLedger {
  list(filter: UsageFilter, page: PageRequest): Promise<Page<UsageRow>>;
  group(filter: UsageFilter, grouping: Grouping, page: PageRequest): Promise<Page<UsageGroup>>;
  /** Counts rows, but not beyond `max`. */
  count(filter: UsageFilter, max: number): Promise<number>;
}

/** Postgres: query_canceled. */
const QUERY_CANCELED = '57014';

export function createUsageLedger({
  db,
  recorder,
}: {
  readonly db: Database;
  readonly recorder: Pick<UsageRecorder, 'flush'>;
}): UsageLedger {
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
  return {
    list: (filter, page) => read(filter, (tx, period) => listUsage(tx, filter, period, page)),
    group: (filter, grouping, page) =>
      read(filter, (tx, period) => groupUsage(tx, filter, { ...period, grouping }, page)),
    count: (filter, max) => read(filter, (tx, period) => countUsage(tx, filter, period, max)),
  };
}
