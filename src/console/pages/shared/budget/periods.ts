/** Periods of budgets. */
export const PERIODS = ['day', 'month', 'total'] as const;

export type Period = (typeof PERIODS)[number];

/** Fields of the limits of the periods. */
export const AMOUNT_OF = {
  day: 'dollars_per_day',
  month: 'dollars_per_month',
  total: 'dollars_total',
} as const satisfies Readonly<Record<Period, string>>;
