import { defineFeature } from '../../framework/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts/index.ts';

/** `/privacy`, `/export`, `/forget`: what is kept of a user, all of it in one archive, and how it is removed. */
export const personalData = defineFeature({
  commands: [
    { name: 'privacy', menus: ['private'], describe: (locale) => texts[locale].command },
    { name: 'export', menus: [] },
    { name: 'forget', menus: [] },
  ],
  actions,
  create: createHandlers,
});
