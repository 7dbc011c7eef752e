import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** `/share`: conversations as public pages, and copies of them for readers. */
export const share: Feature = {
  commands: [{ name: 'share', menus: ['private'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};
