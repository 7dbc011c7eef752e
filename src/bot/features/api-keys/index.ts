import { defineFeature } from '../../framework/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts/index.ts';

/** `/key`: a person's own keys for the API. */
export const apiKeys = defineFeature({
  commands: [{ name: 'key', menus: ['private'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
});
