import { and, eq, gt, inArray, lt, sql, sum } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { limitCounters, limitHolds } from '../../database/schema/index.ts';

/** A scope with the limits that a reservation must fit in. */
export interface ScopeLimits {
  readonly scope: string;
  /** In a minute. */
  readonly requests?: number | undefined;
  /** In a day. */
  readonly tokens?: number | undefined;
  readonly pictures?: number | undefined;
  /** In flight. */
  readonly atOnce?: number | undefined;
}

export interface ReservationRequest {
  /** A request with the id of a reservation that was made does not reserve again. */
  readonly id: string;
  /** So many must be left. */
  readonly tokens: number;
  /** Reserved beyond `tokens`, as far as they are left. */
  readonly more: number;
  readonly pictures: number;
  readonly scopes: readonly ScopeLimits[];
}

/** What a request has used; its hold goes. */
export interface Settlement {
  /** Of the reservation. */
  readonly id: string;
  readonly tokens: number;
  readonly pictures: number;
}

/** What is used in a scope; what is reserved counts as used. */
export interface ScopeUse {
  /** Of the current minute. */
  readonly requests: number;
  /** Unix milliseconds. */
  readonly minuteBeganAt: number;
  /** Of the current day. */
  readonly tokens: number;
  readonly pictures: number;
}

/** What was used of a scope before a reservation, and why it was refused. */
export interface CheckedUse extends ScopeUse {
  /** `held…`: what is in the way is reserved, not used. */
  readonly refusal: 'requests' | 'tokens' | 'pictures' | 'atOnce' | 'heldTokens' | 'heldPictures' | null;
}

/** By scope. Nothing was reserved where any of them has a refusal. */
export type CheckedUses = Readonly<Record<string, CheckedUse>>;

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
/** How long a hold counts without being renewed: what a killed process held is free again after that. */
export const LEASE_MS = 60_000;
/** Expired holds are kept for so long: their requests may still be settled. */
const KEEP_EXPIRED_MS = 3_600_000;

const LEASE = sql`${`${LEASE_MS} ms`}::interval`;

/** Books the settlements, then makes the reservations in their order, in one statement. Settling the same id again changes nothing. */
export type WriteReservations = (
  settlements: readonly Settlement[],
  reservations: readonly ReservationRequest[],
  nowMs: number,
) => Promise<readonly CheckedUses[]>;

/** Prepares the statement: sent with almost every request, it is built once and costs one round trip to the server instead of two. */
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

/** Renews the leases of reservations. One that is being settled at the moment is left alone. */
export async function renewHolds(db: Database, ids: readonly string[], nowMs: number): Promise<void> {
  const free = db
    .select({ id: limitHolds.id })
    .from(limitHolds)
    .where(inArray(limitHolds.id, [...ids]))
    .for('update', { skipLocked: true });
  await db
    .update(limitHolds)
    .set({ expiresAt: new Date(nowMs + LEASE_MS) })
    .where(inArray(limitHolds.id, free));
}

/** What is used of a scope at a moment. */
export async function readUse(db: Database, scope: string, nowMs: number): Promise<ScopeUse> {
  const isHeld = and(eq(limitHolds.scope, limitCounters.scope), gt(limitHolds.expiresAt, new Date(nowMs)));
  const [row] = await db
    .select({ counter: limitCounters, heldTokens: sum(limitHolds.tokens), heldPictures: sum(limitHolds.pictures) })
    .from(limitCounters)
    .leftJoin(limitHolds, isHeld)
    .where(eq(limitCounters.scope, scope))
    .groupBy(limitCounters.scope);
  if (!row) return { requests: 0, minuteBeganAt: nowMs, tokens: 0, pictures: 0 };
  const { counter } = row;
  const isToday = counter.day >= toUtcDay(nowMs);
  // A minute that begins in the future is one of before the clock was set back.
  const isThisMinute = counter.minuteRequests > 0 && Math.abs(nowMs - counter.minuteBeganAt.getTime()) < MINUTE_MS;
  return {
    requests: isThisMinute ? counter.minuteRequests : 0,
    minuteBeganAt: isThisMinute ? counter.minuteBeganAt.getTime() : nowMs,
    tokens: (isToday ? counter.dayTokens : 0) + Number(row.heldTokens),
    pictures: (isToday ? counter.dayPictures : 0) + Number(row.heldPictures),
  };
}

/** Removes counters of days before yesterday, 1000 at most and none that is locked, and holds that expired long ago. */
export async function removeOldRows(db: Database, nowMs: number): Promise<void> {
  const old = db
    .select({ scope: limitCounters.scope })
    .from(limitCounters)
    .where(lt(limitCounters.day, toUtcDay(nowMs - DAY_MS)))
    .limit(1000)
    .for('update', { skipLocked: true });
  await db.delete(limitCounters).where(inArray(limitCounters.scope, old));
  await db.delete(limitHolds).where(lt(limitHolds.expiresAt, new Date(nowMs - KEEP_EXPIRED_MS)));
}

/** The day of a moment, `2026-11-21`. Days are UTC's, for everybody. */
function toUtcDay(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}
