import { toInstant, toLocalTime } from '../recurrence.ts';
import type { TaskTimes } from '../task.ts';
import { resolveUntil, resolveWhen } from './resolve-when.ts';
import type { When } from './slots.ts';

const MINUTE_MS = 60_000;

/** Returns the times of a task; undefined if they are in the past. */
export function toTimes(
  when: When,
  { timeZone, nowMs }: { readonly timeZone: string; readonly nowMs: number },
): TaskTimes | undefined {
  if (when.kind === 'after') return { kind: 'once', at: toTimeAfter(nowMs, when.minutes), timeZone };
  const now = toLocalTime(nowMs, timeZone);
  const localTime = resolveWhen(when, now);
  if (localTime === undefined) return undefined;
  if (when.rule !== undefined) {
    const until = when.until && resolveUntil(when.until, now);
    if (when.until && until === undefined) return undefined;
    const rule = until === undefined ? when.rule : `${when.rule};UNTIL=${until}`;
    return { kind: 'repeated', rule, startsAt: localTime, timeZone };
  }
  return { kind: 'once', at: new Date(toInstant(localTime, timeZone)), timeZone };
}

/**
 * Returns the time after a number of minutes. It is never a full minute, unlike times that users name: those move with
 * the user's time zone.
 */
export function toTimeAfter(nowMs: number, minutes: number): Date {
  const ms = nowMs + Math.round(minutes * MINUTE_MS);
  return new Date(ms % MINUTE_MS === 0 ? ms + 1 : ms);
}

/** Returns whether a time comes from `toTimeAfter`. */
export function isTimeAfter(at: Date): boolean {
  return at.getTime() % MINUTE_MS !== 0;
}
