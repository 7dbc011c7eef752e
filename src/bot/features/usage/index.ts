import { defineFeature } from '../../framework/feature.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts/index.ts';

/** `/usage`: a user's usage and remaining quotas. */
export const usage = defineFeature({
  commands: [{ name: 'usage', menus: ['private'], describe: (locale) => texts[locale].command }],
  create: createHandlers,
});
