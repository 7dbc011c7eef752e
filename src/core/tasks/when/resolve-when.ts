import type { When } from './parse-when.ts';
import type { Day, TimeOfDay } from './read-when-parts.ts';

/** Date and time as clocks show them in a time zone: `2026-12-24T18:00`. */
export type LocalDateTime = string;

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
  const time = writtenTime ?? MORNING;
  const today = toUtcMs(`${now.slice(0, 10)}T00:00`);
  const isOver = toText(today, time) <= now;
  if (rule !== undefined) return toText(today, time);
  if (day === undefined) return toText(today + (isOver ? DAY_MS : 0), time);
  const start = toStartOfDay(day, today, (ms) => toText(ms, time) > now);
  const found = start === undefined ? undefined : toText(start, time);
  return found !== undefined && found > now ? found : undefined;
}

function toStartOfDay(day: Day, today: number, isAhead: (ms: number) => boolean): number | undefined {
  if (day.kind === 'in-days') return today + day.days * DAY_MS;
  if (day.kind === 'weekday') {
    const days = (day.weekday - new Date(today).getUTCDay() + 7) % 7;
    const next = today + days * DAY_MS;
    return isAhead(next) ? next : next + 7 * DAY_MS;
  }
  const toDate = (year: number) => Date.UTC(year, day.month - 1, day.day);
  if (day.year !== undefined) return toDate(day.year);
  const thisYear = new Date(today).getUTCFullYear();
  // February 29 exists in one of eight years at least.
  const years = Array.from({ length: 9 }, (_, index) => thisYear + index);
  return years.map(toDate).find((ms) => new Date(ms).getUTCDate() === day.day && isAhead(ms));
}

function toUtcMs(local: LocalDateTime): number {
  return Date.parse(`${local}:00Z`);
}

function toText(startOfDay: number, { hour, minute }: TimeOfDay): LocalDateTime {
  return new Date(startOfDay + (hour * 60 + minute) * 60_000).toISOString().slice(0, 16);
}
