export { type Budget, LimitExceededError, type LimitStanding } from './limit-exceeded-error.ts';
export { createLimits, type LimitedCaller, type Limits, type Reservation } from './limits.ts';
export { type Plans, plansSchema } from './plans.ts';
