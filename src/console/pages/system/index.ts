import type { Page } from '../../page.ts';
import { SystemView } from './system-view.tsx';

/** State of the process, its database and its queues. */
export const systemPage: Page = {
  name: 'system',
  title: { en: 'System', ru: 'Состояние' },
  icon: 'server',
  isForAdmins: true,
  View: SystemView,
};
