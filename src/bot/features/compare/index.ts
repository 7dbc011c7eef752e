import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** `/compare` and *Compare* in the list of models below an answer: several models answer one question. */
export const compare: Feature = {
  commands: [{ name: 'compare', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};
