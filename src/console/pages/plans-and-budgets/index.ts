import type { Page } from '../../page.ts';
import { PlansAndBudgetsView } from './plans-and-budgets-view.tsx';

/** Budget of the instance, budgets that are set, and the limits of the plans. */
export const plansAndBudgetsPage: Page = {
  name: 'plans-and-budgets',
  title: { en: 'Plans and budgets', ru: 'Тарифы и бюджеты' },
  icon: 'money',
  isForAdmins: true,
  View: PlansAndBudgetsView,
};
