import { Composer } from 'grammy';
import { type ActionAnswer, type CallbackActionOf, onAction } from '../../kit/actions.ts';
import { toChatTopic } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { BotServices } from '../../kit/services.ts';
import { showView } from '../../kit/views.ts';
import { findChoosablePersona, listPersonas, type Persona } from '../../personas/personas.ts';
import { toPersonaMenu, toPersonaView, toUsedPersonaView } from './persona-views.ts';
import { texts } from './texts.ts';

/** `/persona`: chooses the persona for this conversation or for all. `/persona cook` as a shortcut. */
export function createPersonaSelection(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('persona', async (ctx) => {
    const name = ctx.match.replace(/\s+/g, ' ').trim();
    if (name === '') return showView(ctx, await toPersonaMenu(services, ctx));
    const persona = await findByName(services, ctx, name);
    if (persona) return putOn(services, ctx, persona);
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

/** Returns the notice for a persona that no longer exists, and shows the list. */
export function toGonePersona(services: BotServices, ctx: BotContext): ActionAnswer {
  const hint = texts[ctx.locale].gone;
  return { hint, afterwards: async () => showView(ctx, await toPersonaMenu(services, ctx)) };
}

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
  if (!isAlways) return { afterwards: () => putOn(services, ctx, persona, listing) };
  ctx.user = await services.accounts.updateSettings(ctx.user.id, { persona: reference, systemPrompt: undefined });
  // The choice of this conversation would override the default.
  const conversation = await services.conversations.findCurrentConversation(toChatTopic(ctx.msg));
  if (conversation?.promptSource) await services.conversations.setPromptSource(conversation.id, undefined);
  return { afterwards: () => showView(ctx, { text: texts[ctx.locale].usedAlways(persona.label) }) };
}

async function putOn(
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
