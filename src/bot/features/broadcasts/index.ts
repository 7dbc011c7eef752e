import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** `/announce`, for admins: a broadcast to all users. */
export const broadcasts: Feature = {
  commands: [{ name: 'announce', menus: ['admin'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};
