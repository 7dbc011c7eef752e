import type { Page } from '../../page.ts';
import { ModelsView } from './models-view.tsx';

/** Models with their providers and prices. */
export const modelsPage: Page = {
  name: 'models',
  title: { en: 'Models', ru: 'Модели' },
  icon: 'model',
  isForAdmins: true,
  View: ModelsView,
};
