import { and, eq, gt, inArray, lt, sql, sum } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { limitCounters, limitReservations } from '../../database/schema/index.ts';

/** A scope and the limits that a reservation must satisfy. */
export interface ScopeLimits {
  readonly scope: string;
  /** Per minute. */
  readonly requests?: number | undefined;
  /** Per day. */
  readonly tokens?: number | undefined;
  readonly pictures?: number | undefined;
  /** In flight. */
  readonly atOnce?: number | undefined;
}

export interface ReservationRequest {
  /** Idempotency key: a repeated request with the same id reserves nothing more. */
  readonly id: string;
  /** Tokens that must be available. */
  readonly tokens: number;
  /** Tokens reserved in addition, as far as available. */
  readonly more: number;
  readonly pictures: number;
  readonly scopes: readonly ScopeLimits[];
}

/** Actual usage of a request; it replaces the reservation. */
export interface Settlement {
  /** Id of the reservation. */
  readonly id: string;
  readonly tokens: number;
  readonly pictures: number;
}

/** Usage of a scope, reserved amounts included. */
export interface ScopeUse {
  /** In the current minute. */
  readonly requests: number;
  /** Unix milliseconds. */
  readonly minuteBeganAt: number;
  /** On the current day. */
  readonly tokens: number;
  readonly pictures: number;
}

/** Usage of a scope before a reservation, and why the reservation was refused, if it was. */
export interface CheckedUse extends ScopeUse {
  /** `held…`: the limit is exceeded only because of amounts that requests in flight have reserved. */
  readonly refusal: 'requests' | 'tokens' | 'pictures' | 'atOnce' | 'heldTokens' | 'heldPictures' | null;
}

/** Results by scope. If any of them has a refusal, nothing was reserved. */
export type CheckedUses = Readonly<Record<string, CheckedUse>>;

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
/** Lifetime of a reservation without renewal: reservations of a killed process expire after it. */
export const LEASE_MS = 60_000;
/** Expired reservations are kept for this time, because their requests may still be settled. */
const KEEP_EXPIRED_MS = 3_600_000;

const LEASE = sql`${`${LEASE_MS} ms`}::interval`;

/**
 * Applies the settlements, then the reservations in order, by one statement. Settling the same id again has no effect.
 */
export type WriteReservations = (
  settlements: readonly Settlement[],
  reservations: readonly ReservationRequest[],
  nowMs: number,
) => Promise<readonly CheckedUses[]>;

/**
 * Prepares the statement that is sent with almost every request: built once, it takes one round trip instead of two.
 */
export function prepareReservations(db: Database): WriteReservations {
  const { placeholder } = sql;
  const answers = sql<
    readonly CheckedUses[]
  >`reserve_limits(${placeholder('settlements')}::jsonb, ${placeholder('reservations')}::jsonb, ${placeholder('moment')}::timestamptz, ${LEASE})`;
  const statement = db.select({ answers }).from(sql`(select 1) as one`).prepare('reserve_limits');
  return async (settlements, reservations, nowMs) => {
    const [row] = await statement.execute({
      settlements: JSON.stringify(settlements),
      reservations: JSON.stringify(reservations),
      moment: new Date(nowMs).toISOString(),
    });
    return row?.answers ?? [];
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
  const isHeld = and(
    eq(limitReservations.scope, limitCounters.scope),
    gt(limitReservations.expiresAt, new Date(nowMs)),
  );
  const [row] = await db
    .select({
      counter: limitCounters,
      heldTokens: sum(limitReservations.tokens),
      heldPictures: sum(limitReservations.pictures),
    })
    .from(limitCounters)
    .leftJoin(limitReservations, isHeld)
    .where(eq(limitCounters.scope, scope))
    .groupBy(limitCounters.scope);
  if (!row) return { requests: 0, minuteBeganAt: nowMs, tokens: 0, pictures: 0 };
  const { counter } = row;
  const isToday = counter.day >= toUtcDay(nowMs);
  // The minute may begin in the future if the clock was set back.
  const isThisMinute = counter.minuteRequests > 0 && Math.abs(nowMs - counter.minuteBeganAt.getTime()) < MINUTE_MS;
  return {
    requests: isThisMinute ? counter.minuteRequests : 0,
    minuteBeganAt: isThisMinute ? counter.minuteBeganAt.getTime() : nowMs,
    tokens: (isToday ? counter.dayTokens : 0) + Number(row.heldTokens),
    pictures: (isToday ? counter.dayPictures : 0) + Number(row.heldPictures),
  };
}

/**
 * Deletes counters of days before yesterday, at most 1000 and no locked ones, and reservations that expired over an
 * hour ago.
 */
export async function removeOldRows(db: Database, nowMs: number): Promise<void> {
  const old = db
    .select({ scope: limitCounters.scope })
    .from(limitCounters)
    .where(lt(limitCounters.day, toUtcDay(nowMs - DAY_MS)))
    .limit(1000)
    .for('update', { skipLocked: true });
  await db.delete(limitCounters).where(inArray(limitCounters.scope, old));
  await db.delete(limitReservations).where(lt(limitReservations.expiresAt, new Date(nowMs - KEEP_EXPIRED_MS)));
}

/** Returns the UTC day of a moment, e.g. `2026-11-21`. */
function toUtcDay(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}
