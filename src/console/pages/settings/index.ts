import type { Page } from '../../page.ts';
import { SettingsView } from './settings-view.tsx';

/** Settings of the user for all chats. */
export const settingsPage: Page = {
  name: 'settings',
  title: { en: 'Settings', ru: 'Настройки' },
  icon: 'settings',
  isForAdmins: false,
  View: SettingsView,
};
