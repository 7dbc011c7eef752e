import type { Page } from '../../page.ts';
import { MemoryView } from './memory-view.tsx';

/** Notes about the user, which models read. */
export const memoryPage: Page = {
  name: 'memory',
  title: { en: 'Memory', ru: 'Память' },
  icon: 'memory',
  isForAdmins: false,
  View: MemoryView,
};
