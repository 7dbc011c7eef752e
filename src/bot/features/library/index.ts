import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** `/find`, and the tools that search: what a user, or a group, has given to the bot, and its answers. */
export const library: Feature = {
  commands: [{ name: 'find', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};
