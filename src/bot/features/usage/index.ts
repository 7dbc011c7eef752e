import { defineFeature } from '../../framework/feature.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts/index.ts';

/** `/usage`: what a user has used, and what is left of their limits. */
export const usage = defineFeature({
  commands: [{ name: 'usage', menus: ['private'], describe: (locale) => texts[locale].command }],
  create: createHandlers,
});
