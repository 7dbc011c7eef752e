export {
  AMOUNT_FIELDS,
  BUDGET_PERIODS,
  type BudgetAmounts,
  type BudgetPeriod,
  type InstanceBudget,
  instanceBudgetSchema,
} from './budget-amounts.ts';
export {
  type BudgetChanges,
  type BudgetRaise,
  type Budgets,
  createBudgets,
  type ScopeName,
  type SpentAmounts,
} from './budgets.ts';
export { LimitExceededError, type Quota, type Quotas } from './limit-exceeded-error.ts';
export type { LimitedRequester } from './limited-scopes.ts';
export { createLimits, type Limits, type Reservation } from './limits.ts';
export { type Plan, type Plans, plansSchema } from './plans.ts';
