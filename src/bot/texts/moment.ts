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
