import type { BudgetPeriod } from './budget-amounts.ts';

/** Amounts that a scope has spent in US dollars, by settled requests. */
export interface SpentAmounts {
  readonly dayUsd: number;
  readonly monthUsd: number;
  /** Since the first budget of the scope. */
  readonly totalUsd: number;
}

/** Field of each period. */
export const SPENT_FIELDS = {
  day: 'dayUsd',
  month: 'monthUsd',
  total: 'totalUsd',
} as const satisfies Record<BudgetPeriod, keyof SpentAmounts>;

export const NOTHING_SPENT: SpentAmounts = { dayUsd: 0, monthUsd: 0, totalUsd: 0 };
