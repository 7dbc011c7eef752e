import type { Feature } from '../../kit/feature.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** `/summarise`: summaries of texts, messages and group chats. */
export const summarise: Feature = {
  commands: [{ name: 'summarise', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  create: createHandlers,
};
