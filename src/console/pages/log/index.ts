import type { Page } from '../../page.ts';
import { LogView } from './log-view.tsx';

/** Warnings and errors of the process. */
export const logPage: Page = {
  name: 'log',
  title: { en: 'Log', ru: 'Журнал ошибок' },
  icon: 'log',
  isForAdmins: true,
  View: LogView,
};
