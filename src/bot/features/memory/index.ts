import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** `/memory` and `/remember`: what models remember of a user in private chats, and of a group in it. */
export const memory: Feature = {
  commands: [
    { name: 'memory', menus: ['private', 'group'], describe: (locale) => texts[locale].command },
    { name: 'remember', menus: [] },
  ],
  actions,
  create: createHandlers,
};
