import { WEEKDAY_CODES } from '../../../lib/dates.ts';
import { toInstant, toLocalTime } from '../recurrence.ts';
import type { TaskTimes } from '../task.ts';
import type { Day } from './read-days.ts';
import type { TimeOfDay } from './read-times.ts';
import type { When } from './slots.ts';

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

const MINUTE_MS = 60_000;

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

/** Date and time as clocks show them in a time zone: `2026-12-24T18:00`. */
type LocalDateTime = string;

/** Time of day for days without one. */
const MORNING: TimeOfDay = { hour: 9, minute: 0 };

const DAY_MS = 86_400_000;

/** Rules that count from now if they have no time. */
const WITHIN_DAY = /^FREQ=(MINUTELY|HOURLY)/;

/**
 * Returns the next date and time that `at` may mean.
 * @param now the present in the same time zone.
 * @returns undefined if it is a date in the past.
 */
export function resolveWhen(
  { day, time: writtenTime, rule }: Extract<When, { readonly kind: 'at' }>,
  now: LocalDateTime,
): LocalDateTime | undefined {
  if (rule !== undefined && WITHIN_DAY.test(rule) && !writtenTime) return now;
  const today = toUtcMs(`${now.slice(0, 10)}T00:00`);
  if (day?.kind === 'in-months') return toText(addMonths(today, day.months), writtenTime ?? toTime(now));
  const time = writtenTime ?? MORNING;
  const isOver = toText(today, time) <= now;
  if (rule !== undefined) return toText(findFirstDay(rule, today, isOver), time);
  if (day === undefined) return toText(today + (isOver ? DAY_MS : 0), time);
  const start = toStartOfDay(day, today, (ms) => toText(ms, time) > now);
  const found = start === undefined ? undefined : toText(start, time);
  return found !== undefined && found > now ? found : undefined;
}

/** Returns the date until which a rule is repeated: `20261205`. */
function resolveUntil(day: Day, now: LocalDateTime): string | undefined {
  const today = toUtcMs(`${now.slice(0, 10)}T00:00`);
  const start = toStartOfDay(day, today, (ms) => ms >= today);
  return start === undefined || start < today ? undefined : toText(start, MORNING).slice(0, 10).replaceAll('-', '');
}

/** A rule finds its first day in a year, or after February 29 was skipped. */
const MAX_DAYS = 8 * 366 + 1;

/**
 * Returns the day from which a rule counts. A rule with an interval counts its periods from there, so that is the first
 * day that fits; any other may count from today.
 */
function findFirstDay(rule: string, today: number, isOver: boolean): number {
  const parts = new Map(rule.split(';').map((part) => part.split('=') as [string, string]));
  if (!parts.has('INTERVAL') || ![...parts.keys()].some((name) => /^BY(?:DAY|MONTH|MONTHDAY)$/.test(name)))
    return today;
  for (let ms = isOver ? today + DAY_MS : today; ms < today + MAX_DAYS * DAY_MS; ms += DAY_MS) {
    if (fits(parts, new Date(ms))) return ms;
  }
  return today;
}

function fits(parts: ReadonlyMap<string, string>, date: Date): boolean {
  const daysInMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const day = date.getUTCDate();
  const code = WEEKDAY_CODES[date.getUTCDay()] ?? '';
  const codes = [code, `${Math.ceil(day / 7)}${code}`, ...(day + 7 > daysInMonth ? [`-1${code}`] : [])];
  const has = (name: string, values: readonly string[]) => {
    const wanted = parts.get(name)?.split(',');
    return !wanted || values.some((value) => wanted.includes(value));
  };
  const days = [`${day}`, `${day - daysInMonth - 1}`];
  return has('BYDAY', codes) && has('BYMONTHDAY', days) && has('BYMONTH', [`${date.getUTCMonth() + 1}`]);
}

function toStartOfDay(day: Day, today: number, isAhead: (ms: number) => boolean): number | undefined {
  if (day.kind === 'in-days') return today + day.days * DAY_MS;
  if (day.kind === 'in-months') return addMonths(today, day.months);
  if (day.kind === 'weekday') {
    const days = (day.weekday - new Date(today).getUTCDay() + 7) % 7;
    const next = today + days * DAY_MS;
    return isAhead(next) ? next : next + 7 * DAY_MS;
  }
  const { year, month } = toYearAndMonth(today);
  if (day.kind === 'day-of-month') {
    // One of two months in a row has 31 days, except July and August.
    const months = Array.from({ length: 4 }, (_, index) => Date.UTC(year, month - 1 + index, day.day));
    return months.find((ms) => new Date(ms).getUTCDate() === day.day && isAhead(ms));
  }
  const toDate = (ofYear: number) => Date.UTC(ofYear, day.month - 1, day.day);
  if (day.year !== undefined) return toDate(day.year);
  // February 29 exists in one of eight years at least.
  const years = Array.from({ length: 9 }, (_, index) => year + index);
  return years.map(toDate).find((ms) => new Date(ms).getUTCDate() === day.day && isAhead(ms));
}

/** Returns the same day of a later month, or its last day. */
function addMonths(today: number, months: number): number {
  const { year, month } = toYearAndMonth(today);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return Date.UTC(year, month - 1 + months, Math.min(new Date(today).getUTCDate(), last));
}

function toYearAndMonth(ms: number): { readonly year: number; readonly month: number } {
  const date = new Date(ms);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1 };
}

function toTime(now: LocalDateTime): TimeOfDay {
  return { hour: Number(now.slice(11, 13)), minute: Number(now.slice(14, 16)) };
}

function toUtcMs(local: LocalDateTime): number {
  return Date.parse(`${local}:00Z`);
}

function toText(startOfDay: number, { hour, minute }: TimeOfDay): LocalDateTime {
  return new Date(startOfDay + (hour * 60 + minute) * 60_000).toISOString().slice(0, 16);
}
