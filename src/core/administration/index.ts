export { type AdminAction, type Administration, createAdministration, recordAction } from './administration.ts';
export {
  createMonthlySummaries,
  type MonthlySummary,
  toMonth,
  toMonthBefore,
} from './monthly-summaries.ts';
export { createServiceReports, type ServiceReport } from './service-reports.ts';
