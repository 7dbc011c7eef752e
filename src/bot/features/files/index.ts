import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** `/files`, `/delete`, and links to files. */
export const files: Feature = {
  commands: [
    { name: 'files', menus: ['private'], describe: (locale) => texts[locale].command },
    { name: 'delete', menus: [] },
  ],
  actions,
  create: createHandlers,
};
