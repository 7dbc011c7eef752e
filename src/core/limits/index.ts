export {
  AMOUNT_FIELDS,
  BUDGET_PERIODS,
  type BudgetAmounts,
  type BudgetPeriod,
  findExcess,
  hasBudget,
  type InstanceBudget,
  instanceBudgetSchema,
  NOTHING_SPENT,
  SPENT_FIELDS,
  type SpentAmounts,
} from './budget-amounts.ts';
export type { BudgetUse } from './budget-uses.ts';
export { type BudgetChanges, type Budgets, createBudgets } from './budgets.ts';
export { createLimits, ModelPriceUnknownError } from './database-limits.ts';
export { type BudgetState, LimitExceededError, type Quota, type Quotas } from './limit-exceeded-error.ts';
export {
  type BudgetScope,
  type LimitedRequester,
  parseScope,
  printScope,
  resolveBudget,
  type ScopeName,
  toPlan,
} from './limited-scopes.ts';
export type { ExpectedCost, ExpectedUse, Limits, OwnBudget, Reservation } from './limits.ts';
export { GROUP_PLAN, type Plan, type PlannedTasks, type Plans, plansSchema } from './plans.ts';
