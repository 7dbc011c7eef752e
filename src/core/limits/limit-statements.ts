import { and, eq, gt, inArray, isNotNull, isNull, lt, sql, sum } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Database } from '../../database/connect.ts';
import { limitCounters, limitReservations } from '../../database/schema/index.ts';
import { toUtcDay, toUtcMonth } from '../../lib/dates.ts';
import { NOTHING_SPENT, type SpentAmounts } from './budget-amounts.ts';
import type { ScopeUse, Settlement, WriteReservations, WrittenReservations } from './reservations.ts';

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
/** Lifetime of a reservation without renewal: reservations of a killed process expire after it. */
export const LEASE_MS = 60_000;
/** Expired reservations are kept for this time, because their requests may still be settled. */
const KEEP_EXPIRED_MS = 3_600_000;

const LEASE = sql`${`${LEASE_MS} ms`}::interval`;

/**
 * Prepares the statement that is sent with almost every request: built once, it takes one round trip instead of two.
 */
export function prepareReservations(db: Database): WriteReservations {
  const { placeholder } = sql;
  const written = sql<WrittenReservations>`settle_and_reserve(${placeholder('settlements')}::jsonb, ${placeholder('reservations')}::jsonb, ${placeholder('moment')}::timestamptz, ${LEASE})`;
  const statement = db.select({ written }).from(sql`(select 1) as one`).prepare('settle_and_reserve');
  return async (settlements, reservations, nowMs) => {
    const [row] = await statement.execute({
      settlements: JSON.stringify(settlements),
      reservations: JSON.stringify(reservations),
      moment: new Date(nowMs).toISOString(),
    });
    return row?.written ?? { reservations: [], spent: {} };
  };
}

/** Renews the leases of reservations, except those locked by a concurrent settlement. */
export async function renewReservations(db: Database, ids: readonly string[], nowMs: number): Promise<void> {
  const free = db
    .select({ id: limitReservations.id })
    .from(limitReservations)
    .where(inArray(limitReservations.id, [...ids]))
    .for('update', { skipLocked: true });
  await db
    .update(limitReservations)
    .set({ expiresAt: new Date(nowMs + LEASE_MS) })
    .where(inArray(limitReservations.id, free));
}

/** Returns the usage of a scope at a moment, reserved amounts included. */
export async function readUse(db: Database, scope: string, nowMs: number): Promise<ScopeUse> {
  const isUnexpired = gt(limitReservations.expiresAt, new Date(nowMs));
  const [row] = await db
    .select({
      counter: limitCounters,
      reservedTokens: sql<string | null>`${sum(limitReservations.tokens)} filter (where ${isUnexpired})`,
      reservedImages: sql<string | null>`${sum(limitReservations.images)} filter (where ${isUnexpired})`,
      reservedUsd: sum(limitReservations.usd),
    })
    .from(limitCounters)
    .leftJoin(limitReservations, eq(limitReservations.scope, limitCounters.scope))
    .where(eq(limitCounters.scope, scope))
    .groupBy(limitCounters.scope);
  if (!row) return { requests: 0, minuteBeganAt: nowMs, tokens: 0, images: 0, ...NOTHING_SPENT, reservedUsd: 0 };
  const { counter } = row;
  const isToday = counter.day >= toUtcDay(nowMs);
  const isThisMonth = (counter.month ?? '') >= toUtcMonth(nowMs);
  // The minute may begin in the future if the clock was set back.
  const isThisMinute = counter.minuteRequests > 0 && Math.abs(nowMs - counter.minuteBeganAt.getTime()) < MINUTE_MS;
  return {
    requests: isThisMinute ? counter.minuteRequests : 0,
    minuteBeganAt: isThisMinute ? counter.minuteBeganAt.getTime() : nowMs,
    tokens: (isToday ? counter.dayTokens : 0) + Number(row.reservedTokens),
    images: (isToday ? counter.dayImages : 0) + Number(row.reservedImages),
    dayUsd: isToday ? counter.dayUsd : 0,
    monthUsd: isThisMonth ? counter.monthUsd : 0,
    totalUsd: counter.totalUsd,
    reservedUsd: Number(row.reservedUsd),
  };
}

/**
 * Returns what scopes have spent, also before their first budget: then by the usage ledger. One statement.
 * @param scopes as in `limit_counters`.
 */
export async function readSpent(
  db: Database,
  scopes: readonly string[],
  nowMs: number,
): Promise<Readonly<Record<string, SpentAmounts>>> {
  const [today, month] = [toUtcDay(nowMs), toUtcMonth(nowMs)];
  const counter = limitCounters;
  const sumSince = (day: string) => sql`ledger_dollars(asked.scope, ${`${day}T00:00:00Z`}::timestamptz)`;
  const spentSince = (spent: PgColumn, counted: PgColumn, day: string) =>
    sql`case when ${counter.month} is null then ${sumSince(day)} when ${counted} >= ${day}::date then ${spent} else 0 end`;
  const rows = await db
    .select({
      scope: sql<string>`asked.scope`,
      dayUsd: spentSince(counter.dayUsd, counter.day, today).mapWith(Number),
      monthUsd: spentSince(counter.monthUsd, counter.month, month).mapWith(Number),
      totalUsd: sql`case when ${counter.month} is null then 0 else ${counter.totalUsd} end`.mapWith(Number),
    })
    .from(sql`json_array_elements_text(${JSON.stringify(scopes)}::json) as asked(scope)`)
    .leftJoin(limitCounters, eq(counter.scope, sql`asked.scope`));
  return Object.fromEntries(rows.map(({ scope, ...spent }) => [scope, spent]));
}

/**
 * Deletes counters of days before yesterday, at most 1000 and no locked ones, and reservations that expired over an
 * hour ago. Counters and reservations in dollars are kept.
 */
export async function removeOldRows(db: Database, nowMs: number): Promise<void> {
  const old = db
    .select({ scope: limitCounters.scope })
    .from(limitCounters)
    .where(and(lt(limitCounters.day, toUtcDay(nowMs - DAY_MS)), isNull(limitCounters.month)))
    .limit(1000)
    .for('update', { skipLocked: true });
  await db.delete(limitCounters).where(inArray(limitCounters.scope, old));
  await db.delete(limitReservations).where(and(isLost(nowMs), isNull(limitReservations.usd)));
}

/**
 * Returns settlements of reservations in dollars that expired over an hour ago, at most 50: their processes have ended
 * without settling, and the providers may have charged for the requests. They count with all that was reserved. Ordered
 * by id: two processes that settle the same ones in different orders would deadlock.
 */
export async function findLostReservations(db: Database, nowMs: number): Promise<readonly Settlement[]> {
  const { id, usd, usage } = limitReservations;
  const rows = await db
    .selectDistinctOn([id], { id, usd, usage })
    .from(limitReservations)
    .where(and(isLost(nowMs), isNotNull(usd)))
    .orderBy(id)
    .limit(50);
  return rows.map((row) => ({
    id: row.id,
    tokens: 0,
    images: 0,
    usd: row.usd ?? 0,
    usage: row.usage ? { ...row.usage, cost_usd: row.usd } : undefined,
  }));
}

function isLost(nowMs: number) {
  return lt(limitReservations.expiresAt, new Date(nowMs - KEEP_EXPIRED_MS));
}
