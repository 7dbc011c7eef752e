export {
  AMOUNT_FIELDS,
  BUDGET_PERIODS,
  type BudgetAmounts,
  type BudgetPeriod,
  type InstanceBudget,
  instanceBudgetSchema,
} from './budget-amounts.ts';
export type { BudgetUse } from './budget-uses.ts';
export {
  type BudgetChanges,
  type Budgets,
  createBudgets,
  type ScopeName,
} from './budgets.ts';
export { type BudgetState, LimitExceededError, type Quota, type Quotas } from './limit-exceeded-error.ts';
export type { SpentAmounts } from './limit-statements.ts';
export { type LimitedRequester, resolveBudget, toPlan } from './limited-scopes.ts';
export {
  createLimits,
  type ExpectedCost,
  type ExpectedSpending,
  type Limits,
  type OwnBudget,
  type Reservation,
} from './limits.ts';
export { ModelPriceUnknownError } from './model-price-unknown-error.ts';
export { type Plan, type Plans, plansSchema } from './plans.ts';
