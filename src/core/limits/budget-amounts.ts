import { z } from 'zod';
import { dollarsSchema } from '../../lib/dollars.ts';

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

/** Budgets of one scope in US dollars. An undefined field is unlimited. */
export interface BudgetAmounts {
  /** Per UTC day. */
  readonly usdPerDay?: number | undefined;
  /** Per calendar month in UTC. */
  readonly usdPerMonth?: number | undefined;
  /** Since the first budget of the scope. */
  readonly usdTotal?: number | undefined;
}

export const BUDGET_PERIODS = ['day', 'month', 'total'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** Field of each period. */
export const AMOUNT_FIELDS = {
  day: 'usdPerDay',
  month: 'usdPerMonth',
  total: 'usdTotal',
} as const satisfies Record<BudgetPeriod, keyof BudgetAmounts>;

/** Budget of the whole instance. */
export interface InstanceBudget extends BudgetAmounts {
  /** Whether models without a known price may be used; they count nothing. Default false. */
  readonly allowsUnpricedModels?: boolean | undefined;
}

/** Fields of a budget in the configuration. */
export const budgetFields = {
  dollars_per_day: dollarsSchema.optional(),
  dollars_per_month: dollarsSchema.optional(),
  dollars_total: dollarsSchema.optional(),
};

const budgetSchema = z.strictObject(budgetFields);

/** Schema of `budget` in the configuration. */
export const instanceBudgetSchema = budgetSchema.extend({ allows_unpriced_models: z.boolean().optional() }).transform(
  (given): InstanceBudget => ({
    ...toBudgetAmounts(given),
    allowsUnpricedModels: given.allows_unpriced_models,
  }),
);

export function toBudgetAmounts(given: z.output<typeof budgetSchema>): BudgetAmounts {
  return { usdPerDay: given.dollars_per_day, usdPerMonth: given.dollars_per_month, usdTotal: given.dollars_total };
}

/** Returns the amounts without other fields. */
export function pickAmounts({ usdPerDay, usdPerMonth, usdTotal }: BudgetAmounts = {}): BudgetAmounts {
  return { usdPerDay, usdPerMonth, usdTotal };
}

export function hasBudget(amounts: BudgetAmounts): boolean {
  return BUDGET_PERIODS.some((period) => amounts[AMOUNT_FIELDS[period]] !== undefined);
}

/** Returns the first period whose amount is more than the most that is allowed; undefined if there is none. */
export function findExcess(
  amounts: { readonly [Field in keyof BudgetAmounts]: number | null | undefined },
  most: BudgetAmounts,
): { readonly period: BudgetPeriod; readonly mostUsd: number } | undefined {
  const excess = BUDGET_PERIODS.map((period) => ({ period, mostUsd: most[AMOUNT_FIELDS[period]] ?? Infinity }));
  return excess.find(({ period, mostUsd }) => (amounts[AMOUNT_FIELDS[period]] ?? 0) > mostUsd);
}
