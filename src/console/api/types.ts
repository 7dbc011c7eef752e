/** Bodies of the service's answers. Types only: nothing of the service is bundled. */
export type { OwnFiles } from '../../http/api/account/files.ts';
export type { Key, Keys, KeyWithSecret } from '../../http/api/account/keys.ts';
export type { OwnFile } from '../../http/api/account/own-file.ts';
export type { Limits, Profile } from '../../http/api/account/profile.ts';
export type { Session } from '../../http/api/account/sessions.ts';
export type { ModelOption, SettingsAnswer } from '../../http/api/account/settings.ts';
export type { Settings } from '../../http/api/account/settings-fields.ts';
export type { SignedIn } from '../../http/api/account/sign-in.ts';
export type { AccessAnswer as Access } from '../../http/api/management/access.ts';
export type { AdminAction } from '../../http/api/management/audit-log.ts';
export type { BudgetAnswer as Budget } from '../../http/api/management/budgets.ts';
export type { LogEntry } from '../../http/api/management/log.ts';
export type { ManagedModel } from '../../http/api/management/models.ts';
export type { FileTotals, System } from '../../http/api/management/overviews.ts';
export type { Plan } from '../../http/api/management/plans.ts';
export type { Provider } from '../../http/api/management/providers.ts';
export type { UsageGroupAnswer as UsageGroup } from '../../http/api/management/usage-fields.ts';
export type { ManagedUser } from '../../http/api/management/users.ts';
