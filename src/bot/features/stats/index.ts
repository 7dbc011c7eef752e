import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** `/stats`, for admins: usage of the last 1, 7 or 30 days. */
export const stats: Feature = {
  commands: [{ name: 'stats', menus: ['admin'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};
