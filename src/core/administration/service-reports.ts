import { and, countDistinct, gte, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { feedback, usage, users } from '../../database/schema/index.ts';
import { type LedgerReaderDeps, ledgerDay, ledgerSums, toDollars } from '../accounts/index.ts';

/** Statistics of the service for a number of days. */
export interface ServiceReport {
  readonly days: number;
  /** Users who have used a model. */
  readonly activeUsers: number;
  /** Users created in this time. */
  readonly newUsers: number;
  readonly total: ModelFigures;
  /** The most used model first. */
  readonly models: readonly ModelReport[];
  /** By UTC day and model, oldest first; days without usage are omitted. */
  readonly byDay: readonly DayFigures[];
}

/** Sums over generations that reached a provider. */
export interface ModelFigures {
  readonly requests: number;
  /** Requests that were interrupted or ended in an error. */
  readonly failures: number;
  /** Prompt and completion tokens of chat; those of images are not counted. */
  readonly tokens: number;
  readonly images: number;
  /** US dollars, without the requests in `unpriced`; undefined if no price is known. */
  readonly costUsd: number | undefined;
  /** Requests whose price is unknown. */
  readonly unpriced: number;
  /** Median duration in milliseconds; 0 if there are no requests. */
  readonly medianMs: number;
  /** 95th percentile of durations in milliseconds; 0 if there are no requests. */
  readonly slowMs: number;
  readonly thumbsUp: number;
  readonly thumbsDown: number;
}

export interface ModelReport extends ModelFigures {
  readonly model: string;
}

interface DayFigures {
  /** E.g. `2026-11-21`. */
  readonly day: string;
  readonly model: string;
  readonly requests: number;
  readonly failures: number;
  readonly tokens: number;
  readonly images: number;
  readonly costUsd: number | undefined;
}

const DAY_MS = 86_400_000;

/**
 * Creates reports for admins from the usage ledger. Entries that another process recorded within the last second may be
 * missing.
 */
export function createServiceReports({ db, clock, recorder }: LedgerReaderDeps) {
  return {
    /** @param days length of the reported period in days of 24 hours, ending now. */
    async reportOn(days: number): Promise<ServiceReport> {
      await recorder.flush();
      const since = new Date(clock.now() - days * DAY_MS);
      const [total] = await readFigures(db, since, false);
      const models = await readFigures(db, since, true);
      const thumbs = await readThumbs(db, since);
      const [came] = await db
        .select({ count: countDistinct(users.id) })
        .from(users)
        .where(gte(users.createdAt, since));
      const sumThumbs = (rating: 'up' | 'down') =>
        thumbs.reduce((sum, row) => sum + (row.rating === rating ? row.count : 0), 0);
      const thumbsOf = (model: string, rating: 'up' | 'down') =>
        thumbs.find((row) => row.model === model && row.rating === rating)?.count ?? 0;
      return {
        days,
        activeUsers: total?.users ?? 0,
        newUsers: came?.count ?? 0,
        total: { ...toFigures(total), thumbsUp: sumThumbs('up'), thumbsDown: sumThumbs('down') },
        models: models
          .map((row) => ({
            model: row.model,
            ...toFigures(row),
            thumbsUp: thumbsOf(row.model, 'up'),
            thumbsDown: thumbsOf(row.model, 'down'),
          }))
          .sort((one, other) => other.requests - one.requests || (one.model < other.model ? -1 : 1)),
        byDay: await readDays(db, since),
      };
    },
  };
}

const isFailure = sql`(${usage.finishReason} is null and ${usage.kind} = 'chat' or ${usage.finishReason} = 'error')`;
const { requests: count, ...sums } = ledgerSums;
const failures = sql<number>`count(*) filter (where ${isFailure})`.mapWith(Number);

/** Returns one row for each model, or a single row for all of them. */
async function readFigures(db: Database, since: Date, isByModel: boolean) {
  const percentile = (share: number) =>
    sql<number>`coalesce(percentile_cont(${sql.raw(`${share}`)}) within group (order by ${usage.durationMs}), 0)`.mapWith(
      Number,
    );
  const model = isByModel ? sql<string>`${usage.model}` : sql<string>`''`;
  const rows = db
    .select({
      model,
      requests: count,
      failures,
      users: countDistinct(usage.userId),
      ...sums,
      medianMs: percentile(0.5),
      slowMs: percentile(0.95),
    })
    .from(usage)
    .where(and(gte(usage.createdAt, since)));
  return isByModel ? rows.groupBy(usage.model) : rows;
}

function toFigures(row: Awaited<ReturnType<typeof readFigures>>[number] | undefined) {
  return {
    requests: row?.requests ?? 0,
    failures: row?.failures ?? 0,
    tokens: row?.tokens ?? 0,
    images: row?.images ?? 0,
    costUsd: toDollars(row?.costUsd),
    unpriced: row?.unpriced ?? 0,
    medianMs: Math.round(row?.medianMs ?? 0),
    slowMs: Math.round(row?.slowMs ?? 0),
  };
}

function readThumbs(db: Database, since: Date) {
  const { model, rating, createdAt } = feedback;
  return db.select({ model, rating, count }).from(feedback).where(gte(createdAt, since)).groupBy(model, rating);
}

async function readDays(db: Database, since: Date): Promise<DayFigures[]> {
  const { tokens, images, costUsd } = sums;
  const rows = await db
    .select({ day: ledgerDay, model: usage.model, requests: count, failures, tokens, images, costUsd })
    .from(usage)
    .where(gte(usage.createdAt, since))
    .groupBy(ledgerDay, usage.model)
    .orderBy(ledgerDay);
  return rows.map((row) => ({ ...row, costUsd: toDollars(row.costUsd) }));
}
