import { toUtcDay, toUtcMonth } from '../../lib/dates.ts';
import type { BudgetPeriod } from '../limits/index.ts';

/** Stands for the beginning of a total budget. */
export const START_OF_TOTAL = '1970-01-01';

/** Returns the first UTC day of the period at a moment, such as `2026-11-01`. */
export function toPeriodStart(period: BudgetPeriod, nowMs: number): string {
  if (period === 'total') return START_OF_TOTAL;
  return period === 'day' ? toUtcDay(nowMs) : toUtcMonth(nowMs);
}

/** Returns the end of a period in Unix milliseconds; undefined for `total`. */
export function toPeriodEnd(period: BudgetPeriod, firstDay: string): number | undefined {
  if (period === 'total') return undefined;
  const start = new Date(`${firstDay}T00:00:00Z`);
  return period === 'day'
    ? start.setUTCDate(start.getUTCDate() + 1)
    : Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1);
}
