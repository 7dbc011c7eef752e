import type { Page } from '../../page.ts';
import { RequestsView } from './requests-view.tsx';

/** Usage of all users and its cost. */
export const requestsPage: Page = {
  name: 'requests',
  title: { en: 'Requests', ru: 'Запросы' },
  icon: 'usage',
  isForAdmins: true,
  View: RequestsView,
};
