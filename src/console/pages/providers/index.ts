import type { Page } from '../../page.ts';
import { ProvidersView } from './providers-view.tsx';

/** Health of the providers. */
export const providersPage: Page = {
  name: 'providers',
  title: { en: 'Providers', ru: 'Провайдеры' },
  icon: 'server',
  isForAdmins: true,
  View: ProvidersView,
};
