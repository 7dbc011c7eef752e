export { type Administration, createAdministration } from './administration.ts';
export { type AdminAction, recordAction } from './audit-log.ts';
export {
  createMonthlySummaries,
  type MonthlySummaries,
  type MonthlySummary,
  toMonth,
  toMonthBefore,
} from './monthly-summaries.ts';
export { createServiceReports, type ServiceReport, type ServiceReports } from './service-reports.ts';
