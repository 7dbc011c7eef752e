export { type BudgetNotices, type CurrentBudget, createBudgetNotices } from './budget-notices.ts';
export type { BudgetNotice, NoticeSubject } from './notice.ts';
