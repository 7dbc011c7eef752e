import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** `/usage`: a user's usage, costs and remaining quotas. */
export const usage: Feature = {
  commands: [{ name: 'usage', menus: ['private'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};
