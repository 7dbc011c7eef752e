import { Composer } from 'grammy';
import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import {
  createOwnPersonas,
  makePersonaByText,
  namePersonaByText,
  renamePersonaByText,
  rewritePersonaByText,
} from './own-personas.ts';
import { createPersonaSelection } from './persona-choice.ts';
import { createPersonaLinks } from './persona-links.ts';
import { createSystemPrompt, saveSystemPrompt } from './system-prompt.ts';
import { texts } from './texts.ts';

/** `/persona` and `/system`: the persona and the system prompt for answers. */
export const personas: Feature = {
  commands: [
    { name: 'persona', menus: ['private', 'group'], describe: (locale) => texts[locale].commands.persona },
    { name: 'system', menus: ['private'], describe: (locale) => texts[locale].commands.system },
  ],
  actions,
  create: (services) => ({
    middleware: new Composer(
      createPersonaLinks(services),
      createPersonaSelection(services),
      createOwnPersonas(services),
      createSystemPrompt(services),
    ),
    dialogs: {
      'persona-name': (ctx, text) => namePersonaByText(services, ctx, text),
      'persona-instructions': (ctx, text, name) => makePersonaByText(services, ctx, text, name),
      'persona-new-name': (ctx, text, personaId) => renamePersonaByText(services, ctx, text, personaId),
      'persona-new-instructions': (ctx, text, personaId) => rewritePersonaByText(services, ctx, text, personaId),
      'system-prompt': (ctx, text) => saveSystemPrompt(services, ctx, text),
    },
  }),
};
