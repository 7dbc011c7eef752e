import type { Page } from '../../page.ts';
import { SessionsView } from './sessions-view.tsx';

/** Where the user is signed in. */
export const sessionsPage: Page = {
  name: 'sessions',
  title: { en: 'Sessions', ru: 'Сессии' },
  icon: 'sign-out',
  isForAdmins: false,
  View: SessionsView,
};
