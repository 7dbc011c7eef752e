import { and, eq, inArray, lt } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { limitCounters, limitWriters } from '../../database/schema/index.ts';
import { DAY_MS, MINUTE_MS, type ScopeUse, toUtcDay } from './standing.ts';

/** What is used in a scope at a moment, without changing anything. */
export async function readCounters(db: Database, scope: string, nowMs: number): Promise<ScopeUse> {
  const [row] = await db.select().from(limitCounters).where(eq(limitCounters.scope, scope));
  if (!row) return { requests: 0, minuteBeganAt: nowMs, tokens: 0, pictures: 0 };
  const isToday = row.day >= toUtcDay(nowMs);
  // A minute in the future is one of before the clock was set back.
  const isThisMinute = row.minuteRequests > 0 && Math.abs(nowMs - row.minuteBeganAt.getTime()) < MINUTE_MS;
  return {
    requests: isThisMinute ? row.minuteRequests : 0,
    minuteBeganAt: isThisMinute ? row.minuteBeganAt.getTime() : nowMs,
    tokens: (isToday ? row.dayTokens : 0) + row.heldTokens,
    pictures: (isToday ? row.dayPictures : 0) + row.heldPictures,
  };
}

/** Removes the rows of days before yesterday, so many at a time and none that somebody is at, and processes that are gone. */
export async function removeOldCounters(db: Database, nowMs: number): Promise<void> {
  const old = db
    .select({ scope: limitCounters.scope })
    .from(limitCounters)
    .where(and(lt(limitCounters.day, toUtcDay(nowMs - DAY_MS)), eq(limitCounters.works, 0)))
    .limit(1000)
    .for('update', { skipLocked: true });
  await db.delete(limitCounters).where(inArray(limitCounters.scope, old));
  await db.delete(limitWriters).where(lt(limitWriters.writtenAt, new Date(nowMs - DAY_MS)));
}
