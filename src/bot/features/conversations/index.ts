import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** `/new` and `/threads`: the conversations of a chat. */
export const conversations: Feature = {
  commands: [
    { name: 'new', menus: ['private', 'group'], describe: (locale) => texts[locale].commands.new },
    { name: 'threads', menus: ['private', 'group'], describe: (locale) => texts[locale].commands.threads },
  ],
  actions,
  create: createHandlers,
};
