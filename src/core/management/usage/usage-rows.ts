import { and, desc, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { usage } from '../../../database/schema/index.ts';
import { type Page, type PageRequest, toPage } from '../page.ts';
import { type Period, toCondition, type UsageFilter } from './usage-filter.ts';

/** A row of the usage ledger. */
export type UsageRow = typeof usage.$inferSelect;

/** Lists rows of the usage ledger, newest first. Changes settings of the transaction. */
export async function listUsage(
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

/** Counts rows, but not beyond `max`. */
export async function countUsage(db: Database, filter: UsageFilter, period: Period, max: number): Promise<number> {
  const some = db.select({ one: sql`1` }).from(usage).where(toCondition(filter, period)).limit(max).as('some');
  const [row] = await db.select({ count: sql<string>`count(*)` }).from(some);
  return Number(row?.count ?? 0);
}
