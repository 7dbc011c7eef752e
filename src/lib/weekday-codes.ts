/** Days of the week in RFC 5545, in the order of `Date.getUTCDay`. */
export const WEEKDAY_CODES: readonly string[] = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
