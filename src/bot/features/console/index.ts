import type { Feature } from '../../kit/feature.ts';
import { createHandlers } from './handlers.ts';
import { texts } from './texts.ts';

/** `/console`: opens the web app, in Telegram and in a browser. */
export const webConsole: Feature = {
  commands: [{ name: 'console', menus: ['private'], describe: (locale) => texts[locale].command }],
  create: createHandlers,
};
