export { ADMIN_ACTIONS, type ListedAction } from './audit-pages.ts';
export { createManagement, type Management } from './management.ts';
export type { Manager } from './manager.ts';
export type { Page, PageKey, PageRequest } from './page.ts';
export { UnknownTimeZoneError, USAGE_KINDS, type UsageFilter } from './usage/usage-filter.ts';
export { GROUPING_COLUMNS, GROUPING_PERIODS, type Grouping, type UsageGroup } from './usage/usage-groups.ts';
export { QueryTooSlowError } from './usage/usage-ledger.ts';
export type { UsageRow } from './usage/usage-rows.ts';
export type { ListedUser } from './user-directory.ts';
