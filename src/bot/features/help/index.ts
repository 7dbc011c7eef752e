import { defineFeature } from '../../framework/feature.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts/index.ts';

/** `/help`: what can be done here. */
export const help = defineFeature({
  commands: [{ name: 'help', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  create: createHandlers,
});
