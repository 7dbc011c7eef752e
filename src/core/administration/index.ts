export {
  type AccessDecision,
  type AccessNotice,
  type AccessRequest,
  createAccessRequests,
} from './access-requests.ts';
export { type Administration, createAdministration, type UploadAccess } from './administration.ts';
export { listUserPlans } from './assign-plan.ts';
export { type AdminAction, recordAction } from './audit-log.ts';
export { createFirstAdminCodes } from './first-admin-codes.ts';
export { type AdmittedGroup, createGroupAccess, type GroupLookups } from './group-access.ts';
export {
  createInvitations,
  type Invitation,
  MAX_INVITATION_LIFETIME_MS,
  MAX_INVITATION_USES,
} from './invitations.ts';
export {
  createMonthlySummaries,
  type MonthlySummary,
  toMonth,
  toMonthBefore,
} from './monthly-summaries.ts';
export { createServiceReports, type ServiceReport } from './service-reports.ts';
