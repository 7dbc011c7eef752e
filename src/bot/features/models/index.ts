import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** `/model`: the model for answers; links to models. */
export const models: Feature = {
  commands: [{ name: 'model', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};
