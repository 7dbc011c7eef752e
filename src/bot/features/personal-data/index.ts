import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** `/privacy`, `/export`, `/forget`: which data of a user is stored, an archive of it, and its deletion. */
export const personalData: Feature = {
  commands: [
    { name: 'privacy', menus: ['private'], describe: (locale) => texts[locale].command },
    { name: 'export', menus: [] },
    { name: 'forget', menus: [] },
  ],
  actions,
  create: createHandlers,
};
