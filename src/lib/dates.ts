/** Returns the UTC day of a moment, such as `2026-11-21`. */
export function toUtcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Returns the first day of the UTC month of a moment, such as `2026-11-01`. */
export function toUtcMonth(ms: number): string {
  return `${toUtcDay(ms).slice(0, 7)}-01`;
}

/** Days of the week in RFC 5545, in the order of `Date.getUTCDay`. */
export const WEEKDAY_CODES: readonly string[] = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
