export { type Budget, type Budgets, LimitExceededError } from './limit-exceeded-error.ts';
export type { LimitedRequester } from './limited-scopes.ts';
export { createLimits, type Limits, type Reservation } from './limits.ts';
export { type Plans, plansSchema } from './plans.ts';
