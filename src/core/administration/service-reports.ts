import { and, countDistinct, gte, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { feedback, usage, users } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { UsageRecorder } from '../accounts/index.ts';

/** What went on in the service within some days. */
export interface ServiceReport {
  readonly days: number;
  /** People who have used a model. */
  readonly activeUsers: number;
  /** People who came for the first time. */
  readonly newUsers: number;
  readonly total: ModelFigures;
  /** Most used first. */
  readonly models: readonly ModelReport[];
  /** By UTC, oldest first; days without use are left out. */
  readonly byDay: readonly DayFigures[];
}

/** Generations that reached a provider, summed up. */
export interface ModelFigures {
  readonly requests: number;
  /** Of these, the ones that broke off or ended in an error. */
  readonly failures: number;
  /** Of questions and answers together; those of pictures are not counted. */
  readonly tokens: number;
  readonly pictures: number;
  /** US dollars; undefined where no price of anything was known. */
  readonly costUsd: number | undefined;
  /** Half of the generations took no longer, milliseconds. 0 where there were none. */
  readonly medianMs: number;
  /** 95 of a hundred took no longer, milliseconds. 0 where there were none. */
  readonly slowMs: number;
  readonly thumbsUp: number;
  readonly thumbsDown: number;
}

export interface ModelReport extends ModelFigures {
  readonly model: string;
}

interface DayFigures {
  /** `2026-11-21` */
  readonly day: string;
  readonly requests: number;
  readonly failures: number;
}

export interface ServiceReports {
  /** @param days how many days of 24 hours, up to now. */
  reportOn(days: number): Promise<ServiceReport>;
}

const DAY_MS = 86_400_000;

/** Reads the books for those who run the service. What another process has recorded within the last second may still be missing. */
export function createServiceReports({
  db,
  clock,
  recorder,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly recorder: Pick<UsageRecorder, 'flush'>;
}): ServiceReports {
  return {
    async reportOn(days) {
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
const count = sql<number>`count(*)`.mapWith(Number);
const failures = sql<number>`count(*) filter (where ${isFailure})`.mapWith(Number);

/** One row for each model, or one for all of them. */
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
      tokens:
        sql<number>`coalesce(sum(${usage.promptTokens}::bigint + ${usage.completionTokens}) filter (where ${usage.kind} = 'chat'), 0)`.mapWith(
          Number,
        ),
      pictures: sql<number>`coalesce(sum(${usage.pictureCount}), 0)`.mapWith(Number),
      costUsd: sql<string | null>`sum(${usage.costUsd})`,
      medianMs: percentile(0.5),
      slowMs: percentile(0.95),
    })
    .from(usage)
    .where(and(gte(usage.createdAt, since)));
  return isByModel ? rows.groupBy(usage.model) : rows;
}

function toFigures(row: Awaited<ReturnType<typeof readFigures>>[number] | undefined) {
  const { costUsd } = row ?? {};
  return {
    requests: row?.requests ?? 0,
    failures: row?.failures ?? 0,
    tokens: row?.tokens ?? 0,
    pictures: row?.pictures ?? 0,
    costUsd: costUsd === null || costUsd === undefined ? undefined : Number(costUsd),
    medianMs: Math.round(row?.medianMs ?? 0),
    slowMs: Math.round(row?.slowMs ?? 0),
  };
}

function readThumbs(db: Database, since: Date) {
  const { model, rating, createdAt } = feedback;
  return db.select({ model, rating, count }).from(feedback).where(gte(createdAt, since)).groupBy(model, rating);
}

function readDays(db: Database, since: Date): Promise<DayFigures[]> {
  const day = sql<string>`to_char(${usage.createdAt} at time zone 'UTC', 'YYYY-MM-DD')`;
  return db
    .select({ day, requests: count, failures })
    .from(usage)
    .where(gte(usage.createdAt, since))
    .groupBy(day)
    .orderBy(day);
}
