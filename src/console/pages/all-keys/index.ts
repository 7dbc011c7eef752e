import type { Page } from '../../page.ts';
import { AllKeysView } from './all-keys-view.tsx';

/** API keys of all users. */
export const allKeysPage: Page = {
  name: 'all-keys',
  title: { en: 'All API keys', ru: 'Все ключи API' },
  icon: 'key',
  isForAdmins: true,
  View: AllKeysView,
};
