import { Composer } from 'grammy';
import { z } from 'zod';
import type { CallbackActionsOf } from '../../kit/actions.ts';
import type { Feature } from '../../kit/feature.ts';
import { createAnswerSettings, createAnswerStyle } from './answer-settings.ts';
import { createMainSettings, createTimeZone, setTimeZoneByText } from './main-settings.ts';
import { texts } from './texts.ts';

const switchFields = { isOn: z.boolean() };

const actions = {
  'show-settings': { fields: {} },
  'list-languages': { fields: {} },
  'select-language': { fields: { language: z.string().optional() } },
  'list-image-models': { fields: { page: z.number() } },
  'select-image-model': { fields: { model: z.string() } },
  'switch-tools': { fields: switchFields },
  'list-creativities': { fields: {} },
  'select-creativity': { fields: { creativity: z.enum(['precise', 'balanced', 'creative']).optional() } },
  'list-answer-lengths': { fields: {} },
  'select-answer-length': { fields: { answerLength: z.enum(['short', 'detailed']).optional() } },
  'show-answer-settings': { fields: {} },
  'list-streamings': { fields: {} },
  'select-streaming': { fields: { streaming: z.enum(['edits', 'drafts', 'whole']) } },
  'list-voice-replies': { fields: {} },
  'select-voice-replies': { fields: { voiceReplies: z.enum(['to-voice', 'always']).optional() } },
  'switch-rich-messages': { fields: switchFields },
  'show-reasoning': { fields: { isShown: z.boolean() } },
  'switch-feedback-buttons': { fields: switchFields },
  'list-time-zones': { fields: {} },
  'select-time-zone': { fields: { timeZone: z.string() } },
  'ask-time-zone': { fields: {} },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'time-zone': never;
  }
}

/** `/settings`: a user's settings for all chats. Each part of the menu has its own handlers. */
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
