import type { Locale } from './locale.ts';

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
