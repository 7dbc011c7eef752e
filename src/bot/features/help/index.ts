import type { Feature } from '../../kit/feature.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** `/help`: the commands of the chat. */
export const help: Feature = {
  commands: [{ name: 'help', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  create: createHandlers,
};
