import type { Page } from '../../page.ts';
import { KeysView } from './keys-view.tsx';

/** The user's API keys. */
export const keysPage: Page = {
  name: 'keys',
  title: { en: 'API keys', ru: 'Ключи API' },
  icon: 'key',
  isForAdmins: false,
  View: KeysView,
};
