import { and, countDistinct, desc, eq, gte, lt, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { usage, users } from '../../database/schema/index.ts';
import { type LedgerReaderDeps, ledgerDay, ledgerSums, toDollars } from '../accounts/index.ts';

/** Usage and cost of the service in a calendar month in UTC. */
export interface MonthlySummary {
  /** `2026-11` */
  readonly month: string;
  /** The month has not ended yet. */
  readonly isRunning: boolean;
  readonly total: MonthSum;
  /** Sums of the whole month before. */
  readonly before: MonthSum;
  /** The most expensive models, at most `MAX_LISTED`. */
  readonly models: readonly (LedgerSum & { readonly model: string })[];
  /** The users with the highest costs, at most `MAX_LISTED`. */
  readonly users: readonly (LedgerSum & { readonly userId: number })[];
  /** By UTC day and model, oldest first; days without usage are omitted. */
  readonly days: readonly (LedgerSum & { readonly day: string; readonly model: string })[];
}

interface LedgerSum {
  readonly requests: number;
  readonly tokens: number;
  readonly images: number;
  /** US dollars, without the requests in `unpriced`; undefined if no price is known. */
  readonly costUsd: number | undefined;
  /** Requests whose price is unknown. */
  readonly unpriced: number;
}

interface MonthSum extends LedgerSum {
  /** Users who have used a model. */
  readonly activeUsers: number;
}

const MAX_LISTED = 5;

export function createMonthlySummaries({ db, clock, recorder }: LedgerReaderDeps) {
  return {
    /** @param month such as `2026-11`. */
    async read(month: string): Promise<MonthlySummary> {
      await recorder.flush();
      const [total, before] = [await readTotal(db, month), await readTotal(db, toMonthBefore(month))];
      return {
        month,
        isRunning: month >= toMonth(clock.now()),
        total,
        before,
        models: (await listBy<string>(db, month, usage.model)).map(({ group, ...sum }) => ({ ...sum, model: group })),
        users: (await listBy<number>(db, month, usage.userId)).map(({ group, ...sum }) => ({ ...sum, userId: group })),
        days: await readDays(db, month),
      };
    },
    /**
     * Stores that an admin gets the summary of a month, if none of this month or a later one was sent. Only one of several
     * claims succeeds, in all processes.
     */
    async claim(userId: number, month: string): Promise<boolean> {
      const claimed = await db
        .update(users)
        .set({ settings: withSentMonth(month) })
        .where(and(eq(users.id, userId), sql`${sentMonth} < ${month}`))
        .returning({ id: users.id });
      return claimed.length > 0;
    },
    /** Reverts a claim whose summary was certainly not sent. */
    async release(userId: number, month: string): Promise<void> {
      await db
        .update(users)
        .set({ settings: withSentMonth(toMonthBefore(month)) })
        .where(and(eq(users.id, userId), sql`${sentMonth} = ${month}`));
    },
  };
}

/** Returns the UTC month of a moment, such as `2026-11`. */
export function toMonth(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

/** Returns the month before, such as `2026-10`. */
export function toMonthBefore(month: string): string {
  return toMonth(toStart(month).getTime() - 1);
}

/** Null if the admin has not asked for summaries. */
const sentMonth = sql`${users.settings} #>> '{monthlySummary,sentMonth}'`;

function withSentMonth(month: string) {
  return sql`jsonb_set(${users.settings}, '{monthlySummary,sentMonth}', to_jsonb(${month}::text))`;
}

async function readTotal(db: Database, month: string): Promise<MonthSum> {
  const [row] = await db
    .select({ ...ledgerSums, activeUsers: countDistinct(usage.userId) })
    .from(usage)
    .where(isIn(month));
  const nothing = { requests: 0, tokens: 0, images: 0, unpriced: 0, activeUsers: 0 };
  return { ...nothing, ...row, costUsd: toDollars(row?.costUsd) };
}

async function listBy<Group extends string | number>(
  db: Database,
  month: string,
  column: typeof usage.model | typeof usage.userId,
): Promise<(LedgerSum & { readonly group: Group })[]> {
  const rows = await db
    .select({ ...ledgerSums, group: sql<Group>`${column}` })
    .from(usage)
    .where(isIn(month))
    .groupBy(column)
    .orderBy(sql`${ledgerSums.costUsd} desc nulls last`, desc(ledgerSums.requests))
    .limit(MAX_LISTED);
  return rows.map((row) => ({ ...row, group: row.group as Group, costUsd: toDollars(row.costUsd) }));
}

async function readDays(db: Database, month: string) {
  const rows = await db
    .select({ ...ledgerSums, day: ledgerDay, model: usage.model })
    .from(usage)
    .where(isIn(month))
    .groupBy(ledgerDay, usage.model)
    .orderBy(ledgerDay);
  return rows.map((row) => ({ ...row, costUsd: toDollars(row.costUsd) }));
}

function isIn(month: string) {
  const start = toStart(month);
  const end = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1));
  return and(gte(usage.createdAt, start), lt(usage.createdAt, end));
}

function toStart(month: string): Date {
  return new Date(`${month}-01T00:00:00Z`);
}
