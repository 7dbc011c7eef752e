export { type Administration, createAdministration } from './administration.ts';
export { type AdminAction, recordAction } from './audit-log.ts';
export { createServiceReports, type ServiceReport, type ServiceReports } from './service-reports.ts';
