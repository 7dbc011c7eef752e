import type { Page } from '../../page.ts';
import { StartView } from './start-view.tsx';

/** First page of a playground: what runs, and the way to a bot of one's own. */
export const startPage: Page = {
  name: 'start',
  title: { en: 'Start', ru: 'Начало' },
  icon: 'home',
  isForAdmins: true,
  isForPlayground: true,
  View: StartView,
};
