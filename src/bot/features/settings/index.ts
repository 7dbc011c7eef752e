import { Composer } from 'grammy';
import { defineFeature } from '../../framework/feature.ts';
import { actions } from './actions.ts';
import { createAnswerSettings } from './answer-settings.ts';
import { createAnswerStyle } from './answer-style.ts';
import { createMainSettings, type SettingsServices } from './main-settings.ts';
import { texts } from './texts/index.ts';
import { createTimeZone, setTimeZoneByText } from './time-zone.ts';

/** `/settings`: a user's settings for all chats. */
export const settings = defineFeature({
  commands: [{ name: 'settings', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  actions,
  create: (services: SettingsServices) => ({
    middleware: new Composer(
      createMainSettings(services),
      createAnswerStyle(services),
      createAnswerSettings(services),
      createTimeZone(services),
    ),
    dialogs: { 'time-zone': (ctx, text) => setTimeZoneByText(services, ctx, text) },
  }),
});
