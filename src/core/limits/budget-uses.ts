import { AMOUNT_FIELDS, BUDGET_PERIODS, type BudgetPeriod, SPENT_FIELDS, type SpentAmounts } from './budget-amounts.ts';
import type { LimitedScope } from './limited-scopes.ts';
import type { CheckedUse } from './reservations.ts';

/** Amount that a scope has spent of one of its budgets. */
export interface BudgetUse {
  /** As in `limit_counters`: `key:12`. */
  readonly scope: string;
  readonly period: BudgetPeriod;
  readonly limitUsd: number;
  readonly spentUsd: number;
  /** The rest was not enough for a request. */
  readonly hasRefused: boolean;
  /** User of the request. */
  readonly userId: number;
}

/** Returns the budgets of a user's request, as far as their spending is known. */
export function listBudgetUses(
  scopes: readonly LimitedScope[],
  userId: number,
  spent: Readonly<Record<string, Partial<SpentAmounts & Pick<CheckedUse, 'refusal'>>>>,
): readonly BudgetUse[] {
  return scopes.flatMap(({ limits }) =>
    BUDGET_PERIODS.flatMap((period) => {
      const field = AMOUNT_FIELDS[period];
      const limitUsd = limits[field];
      const use = spent[limits.scope];
      const spentUsd = use?.[SPENT_FIELDS[period]];
      if (limitUsd === undefined || spentUsd === undefined) return [];
      return [{ scope: limits.scope, period, limitUsd, spentUsd, hasRefused: use?.refusal === field, userId }];
    }),
  );
}
