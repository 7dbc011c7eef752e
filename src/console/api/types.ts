/** Bodies of the service's answers. Types only: nothing of the service is bundled. */
export type { Key, Keys, KeyWithSecret } from '../../http/api/account/keys.ts';
export type { Limits, Profile } from '../../http/api/account/profile.ts';
export type { Session } from '../../http/api/account/sessions.ts';
export type { SignedIn } from '../../http/api/account/sign-in.ts';
export type { AdminAction } from '../../http/api/management/audit-log.ts';
export type { UsageGroupAnswer as UsageGroup } from '../../http/api/management/usage-fields.ts';
