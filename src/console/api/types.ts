/** Bodies of the service's answers. Types only: nothing of the service is bundled. */
export type { Conversation, ConversationMessage } from '../../http/account/conversations.ts';
export type { OwnFiles } from '../../http/account/files.ts';
export type { Key, Keys, KeyWithSecret } from '../../http/account/keys.ts';
export type { Memory, OwnMemories as Memories } from '../../http/account/memories.ts';
export type { OwnFile } from '../../http/account/own-file.ts';
export type { OwnLimits as Limits, Profile } from '../../http/account/profile.ts';
export type { Session } from '../../http/account/sessions.ts';
export type { ModelOption, Settings, SettingsAnswer } from '../../http/account/settings.ts';
export type { SignedIn } from '../../http/account/sign-in.ts';
export type { Task, TaskRun } from '../../http/account/tasks.ts';
export type { AdminAction } from '../../http/management/audit-log.ts';
export type { Broadcast } from '../../http/management/broadcasts.ts';
export type { Failure } from '../../http/management/service/failures.ts';
export type { LogEntry } from '../../http/management/service/log.ts';
export type { ManagedModel } from '../../http/management/service/models.ts';
export type { FileTotals, System } from '../../http/management/service/overviews.ts';
export type { Provider } from '../../http/management/service/providers.ts';
export type {
  SettingAnswer,
  SettingEffect,
  SettingFormAnswer,
  SettingsList,
} from '../../http/management/settings-fields.ts';
export type { UsageGroupAnswer as UsageGroup } from '../../http/management/usage-fields.ts';
export type { AccessAnswer as Access } from '../../http/management/users/access.ts';
export type {
  AccessRequestAnswer as AccessRequest,
  AccessRequestsAnswer as AccessRequests,
} from '../../http/management/users/access-requests.ts';
export type { AdmittedGroupAnswer as AdmittedGroup } from '../../http/management/users/admitted-groups.ts';
export type { BudgetAnswer as Budget } from '../../http/management/users/budgets.ts';
export type { InvitationAnswer as Invitation, InvitationWithLink } from '../../http/management/users/invitations.ts';
export type { KeyAnswer as ManagedKey } from '../../http/management/users/key-fields.ts';
export type { Plan } from '../../http/management/users/plans.ts';
export type { UserAnswer as ManagedUser } from '../../http/management/users/users.ts';
export type { BotStart, WritersAnswer } from '../../http/setup/bot-start.ts';
export type { ChannelAnswer, ProviderAnswer, TokenAnswer } from '../../http/setup/checks.ts';
export type { SetupState } from '../../http/setup/state.ts';
