import { Composer } from 'grammy';
import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createAnswerSettings } from './answer-settings.ts';
import { createAnswerStyle } from './answer-style.ts';
import { createMainSettings } from './main-settings.ts';
import { texts } from './texts.ts';
import { createTimeZone, setTimeZoneByText } from './time-zone.ts';

/** `/settings`: a user's settings for all chats. */
export const settings: Feature = {
  commands: [{ name: 'settings', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  actions,
  create: (services) => ({
    middleware: new Composer(
      createMainSettings(services),
      createAnswerStyle(services),
      createAnswerSettings(services),
      createTimeZone(services),
    ),
    dialogs: { 'time-zone': (ctx, text) => setTimeZoneByText(services, ctx, text) },
  }),
};
