import type { Page } from '../../page.ts';
import { BroadcastsView } from './broadcasts-view.tsx';

/** Broadcasts with their progress. */
export const broadcastsPage: Page = {
  name: 'broadcasts',
  title: { en: 'Broadcasts', ru: 'Рассылки' },
  icon: 'broadcast',
  isForAdmins: true,
  View: BroadcastsView,
};
