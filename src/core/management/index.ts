export type { Access } from './change-access.ts';
export { type Manager, toManager } from './change-audited.ts';
export type { ManagedBudget } from './managed-budgets.ts';
export type { ManagedKey } from './managed-keys.ts';
export type { ManagedUser } from './managed-users.ts';
export type { NamedPlan } from './management.ts';
export {
  ADMIN_ACTIONS,
  BROADCAST_STATES,
  createManagement,
  type ListedAction,
  type ListedBroadcast,
} from './management.ts';
export type { ProviderOverview } from './overviews.ts';
export type { Page, PageKey, PageRequest } from './page.ts';
export { UnknownTimeZoneError, USAGE_KINDS, type UsageFilter } from './usage/usage-filter.ts';
export { GROUPING_COLUMNS, GROUPING_PERIODS, type Grouping, type UsageGroup } from './usage/usage-groups.ts';
export type { UsageRow } from './usage/usage-ledger.ts';
export { QueryTooSlowError, TooManyRowsError } from './usage/usage-ledger.ts';
export { UNIVERSAL_KEY_NAME } from './user-names.ts';
