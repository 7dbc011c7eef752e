const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_DAYS = 365;

/** Short texts for the time since an event. */
export interface AgeUnits {
  readonly now: string;
  readonly minute: string;
  readonly hour: string;
  readonly day: string;
  readonly year: string;
}

/** Returns `5 min`, `3 h`, `2 d`: rounded down, in the largest unit with at least one. */
export function ageOf(ms: number, units: AgeUnits): string {
  if (ms < MINUTE_MS) return units.now;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} ${units.minute}`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} ${units.hour}`;
  const days = Math.floor(ms / DAY_MS);
  return days < YEAR_DAYS ? `${days} ${units.day}` : `${Math.floor(days / YEAR_DAYS)} ${units.year}`;
}
