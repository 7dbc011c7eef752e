import type { Locale } from './locale.ts';

/**
 * Formats a moment with date, time and time zone: `Dec 1, 2026, 3:00 AM (Europe/Berlin)`.
 * @param timeZone IANA name. Default UTC.
 */
export function formatMoment(locale: Locale, ms: number, timeZone = 'UTC'): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return `${format.format(ms)} (${timeZone})`;
}

/**
 * Formats the day of a moment: `Dec 1, 2026`.
 * @param timeZone IANA name. Default UTC.
 */
export function formatDay(locale: Locale, ms: number, timeZone = 'UTC'): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone }).format(ms);
}

/**
 * Formats a moment of the recent past or the near future: `8:00 AM` on the day of `nowMs`, else `Tue, Nov 24, 8:00 AM`,
 * with the year if it is another one.
 */
export function formatTime(locale: Locale, ms: number, nowMs: number, timeZone: string): string {
  const toDay = (moment: number) => new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(moment);
  const [day, today] = [toDay(ms), toDay(nowMs)];
  const time = { hour: 'numeric', minute: '2-digit', timeZone } as const;
  if (day === today) return new Intl.DateTimeFormat(locale, time).format(ms);
  const date = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  const isOtherYear = day.slice(0, 4) !== today.slice(0, 4);
  return new Intl.DateTimeFormat(locale, { ...date, ...(isOtherYear && { year: 'numeric' }), ...time }).format(ms);
}
