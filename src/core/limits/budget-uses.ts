import { AMOUNT_FIELDS, BUDGET_PERIODS, type BudgetPeriod } from './budget-amounts.ts';
import type { SpentAmounts } from './limit-statements.ts';
import type { LimitedScope } from './limited-scopes.ts';
import { SPENT_FIELDS } from './quotas.ts';

/** What a scope has spent of one of its budgets. */
export interface BudgetUse {
  /** As in `limit_counters`: `key:12`. */
  readonly scope: string;
  readonly period: BudgetPeriod;
  readonly limitUsd: number;
  readonly spentUsd: number;
  /** A request did not fit into one of the budgets of its scopes. */
  readonly hasRefused: boolean;
}

/** Returns the budgets of the scopes, as far as their spending is known. */
export function listBudgetUses(
  scopes: readonly LimitedScope[],
  spent: Readonly<Record<string, Partial<SpentAmounts>>>,
  { hasRefused = false }: { readonly hasRefused?: boolean | undefined } = {},
): readonly BudgetUse[] {
  return scopes.flatMap(({ limits }) =>
    BUDGET_PERIODS.flatMap((period) => {
      const limitUsd = limits[AMOUNT_FIELDS[period]];
      const spentUsd = spent[limits.scope]?.[SPENT_FIELDS[period]];
      if (limitUsd === undefined || spentUsd === undefined) return [];
      return [{ scope: limits.scope, period, limitUsd, spentUsd, hasRefused }];
    }),
  );
}
