export { type AdminAction, type Administration, createAdministration, recordAction } from './administration.ts';
export {
  createMonthlySummaries,
  type MonthlySummaries,
  type MonthlySummary,
  toMonth,
  toMonthBefore,
} from './monthly-summaries.ts';
export { createServiceReports, type ServiceReport, type ServiceReports } from './service-reports.ts';
