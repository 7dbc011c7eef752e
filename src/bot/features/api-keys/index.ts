import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** `/key`: the user's own API keys. */
export const apiKeys: Feature = {
  commands: [{ name: 'key', menus: ['private'], describe: (locale) => texts[locale].command }],
  actions,
  create: createHandlers,
};
