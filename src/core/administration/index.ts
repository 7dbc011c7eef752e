export { type Administration, createAdministration } from './administration.ts';
export { type AdminAction, noteAction } from './audit-log.ts';
export { createServiceReports, type ServiceReport, type ServiceReports } from './service-reports.ts';
