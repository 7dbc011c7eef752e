import { Composer } from 'grammy';
import { z } from 'zod';
import { findChoosablePersona, listPersonas, type Persona } from '../../choices/personas.ts';
import { type ActionAnswer, type CallbackActionOf, type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import { toChatTopic } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { Feature } from '../../kit/feature.ts';
import { origin } from '../../kit/keyboards.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import {
  createOwnPersonas,
  makePersonaByText,
  namePersonaByText,
  renamePersonaByText,
  rewritePersonaByText,
} from './own-personas.ts';
import { createPersonaLinks } from './persona-links.ts';
import { createSystemPrompt, saveSystemPrompt } from './system-prompt.ts';
import { texts } from './texts.ts';
import { toGonePersona, toPersonaMenu, toPersonaView, toUsedPersonaView } from './views.ts';

/** Key of a built-in persona, or `own:` and an id. */
const persona = { persona: z.string() };
/** Page of the list that the persona was opened from. */
const listing = { page: z.number().optional(), ...origin };
const own = { personaId: z.number() };

const actions = {
  'list-personas': { fields: { page: z.number(), ...origin } },
  'show-persona': { fields: { ...persona, ...listing } },
  'use-persona': { fields: { ...persona, isAlways: z.boolean(), ...listing } },
  'drop-usual-persona': { fields: {} },
  'make-persona': { fields: {} },
  'rename-persona': { fields: own },
  'edit-persona': { fields: own },
  /** Shows first what other users will get. */
  'share-persona': { fields: own },
  'share-persona-now': { fields: own },
  'unshare-persona': { fields: own },
  /** Asks for confirmation. */
  'delete-persona': { fields: own },
  'delete-persona-for-good': { fields: own },
  'show-system-prompt': { fields: origin },
  'change-system-prompt': { fields: {} },
  'remove-system-prompt': { fields: {} },
  'use-system-prompt-always': { fields: {} },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}
declare module '../../kit/dialogs.ts' {
  interface FeatureDialogs {
    'system-prompt': never;
    'persona-name': never;
    'persona-instructions': never;
    'persona-new-name': never;
    'persona-new-instructions': never;
  }
}

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

/** `/persona`: chooses the persona for this conversation or for all. `/persona cook` as a shortcut. */
function createPersonaSelection(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('persona', async (ctx) => {
    const name = ctx.match.replace(/\s+/g, ' ').trim();
    if (name === '') return showView(ctx, await toPersonaMenu(services, ctx));
    const persona = await findByName(services, ctx, name);
    if (persona) return useHere(services, ctx, persona);
    const news = texts[ctx.locale].noneFound(Array.from(name).slice(0, MAX_SHOWN_CHARACTERS).join(''));
    return showView(ctx, await toPersonaMenu(services, ctx, { news }));
  });
  composer.use(
    onAction(services, 'list-personas', (ctx, listing) => ({
      afterwards: async () => showView(ctx, await toPersonaMenu(services, ctx, listing)),
    })),
    onAction(services, 'show-persona', async (ctx, { persona: reference, ...listing }) => {
      const persona = await findChoosablePersona(services, ctx, reference);
      if (!persona) return toGonePersona(services, ctx);
      return { afterwards: async () => showView(ctx, await toPersonaView(services, ctx, persona, listing)) };
    }),
    onAction(services, 'use-persona', (ctx, pressed) => usePersona(services, ctx, pressed)),
    onAction(services, 'drop-usual-persona', async (ctx) => {
      ctx.user = await services.accounts.updateSettings(ctx.user.id, { persona: undefined });
      return { afterwards: () => showView(ctx, { text: texts[ctx.locale].usedNoLonger }) };
    }),
  );
  return composer;
}

const MAX_SHOWN_CHARACTERS = 100;

/** Finds a persona by its name, with or without the emoji and ignoring case, or by its key. */
async function findByName(services: BotServices, ctx: BotContext, name: string): Promise<Persona | undefined> {
  const lowerCaseName = name.toLowerCase();
  const personas = await listPersonas(services, ctx.locale, ctx.user.id);
  return personas.find(({ label, reference }) => {
    const called = label.toLowerCase();
    return (
      called === lowerCaseName || called.slice(called.indexOf(' ') + 1) === lowerCaseName || reference === lowerCaseName
    );
  });
}

async function usePersona(
  services: BotServices,
  ctx: BotContext,
  { persona: reference, isAlways, ...listing }: CallbackActionOf<'use-persona'>,
): Promise<ActionAnswer> {
  const persona = await findChoosablePersona(services, ctx, reference);
  if (!persona || !ctx.msg) return toGonePersona(services, ctx);
  if (!isAlways) return { afterwards: () => useHere(services, ctx, persona, listing) };
  ctx.user = await services.accounts.updateSettings(ctx.user.id, { persona: reference, systemPrompt: undefined });
  // The choice of this conversation would override the default.
  const conversation = await services.conversations.findCurrentConversation(toChatTopic(ctx.msg));
  if (conversation?.promptSource) await services.conversations.setPromptSource(conversation.id, undefined);
  return { afterwards: () => showView(ctx, { text: texts[ctx.locale].usedAlways(persona.label) }) };
}

async function useHere(
  services: BotServices,
  ctx: BotContext,
  persona: Persona,
  listing?: Pick<CallbackActionOf<'use-persona'>, 'page' | 'back'>,
): Promise<void> {
  if (!ctx.msg) return;
  const conversation = await services.conversations.currentConversation(toChatTopic(ctx.msg), ctx.user.id);
  await services.conversations.setPromptSource(conversation.id, { kind: 'persona', persona: persona.reference });
  await showView(ctx, await toUsedPersonaView(services, ctx, persona, listing));
}
