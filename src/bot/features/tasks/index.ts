import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** Reminders, and questions that are asked at later times. */
export const tasks: Feature = {
  commands: [
    { name: 'tasks', menus: ['private', 'group'], describe: (locale) => texts[locale].command },
    { name: 'remind', menus: ['private', 'group'], describe: (locale) => texts[locale].remindCommand },
  ],
  actions,
  create: createHandlers,
};
