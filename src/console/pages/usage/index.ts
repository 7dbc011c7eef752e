import type { Page } from '../../page.ts';
import { UsageView } from './usage-view.tsx';

/** The user's own usage, its cost, and what is left. */
export const usagePage: Page = {
  name: 'usage',
  title: { en: 'Usage', ru: 'Использование' },
  icon: 'usage',
  isForAdmins: false,
  View: UsageView,
};
