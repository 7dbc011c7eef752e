export { type CurrentBudget, createBudgetNotices } from './budget-notices.ts';
export { type BudgetNotice, isGroup } from './notice.ts';
