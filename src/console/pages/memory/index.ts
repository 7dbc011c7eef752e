import type { Page } from '../../page.ts';
import { MemoryView } from './memory-view.tsx';

/** What models remember of the user. */
export const memoryPage: Page = {
  name: 'memory',
  title: { en: 'Memory', ru: 'Память' },
  icon: 'memory',
  isForAdmins: false,
  View: MemoryView,
};
