import { Composer } from 'grammy';
import type { CallbackActionOf } from '../../framework/callback-action.ts';
import { toChatTopic } from '../../framework/chat-topic.ts';
import type { BotContext } from '../../framework/context.ts';
import { type ActionAnswer, onAction } from '../../framework/on-action.ts';
import { showView } from '../../framework/view.ts';
import { findChoosablePersona, listPersonas, type Persona } from '../../personas/persona.ts';
import { type PersonasServices, toPersonaMenu, toPersonaView, toUsedPersonaView } from './persona-views.ts';
import { texts } from './texts/index.ts';

/** `/persona`: chooses the persona for this conversation or for all. `/persona cook` as a shortcut. */
export function createPersonaSelection(deps: PersonasServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command('persona', async (ctx) => {
    const name = ctx.match.replace(/\s+/g, ' ').trim();
    if (name === '') return showView(ctx, await toPersonaMenu(deps, ctx));
    const persona = await findByName(deps, ctx, name);
    if (persona) return putOn(deps, ctx, persona);
    const news = texts[ctx.locale].noneFound(Array.from(name).slice(0, MAX_SHOWN_CHARACTERS).join(''));
    return showView(ctx, await toPersonaMenu(deps, ctx, { news }));
  });
  composer.use(
    onAction(deps, 'list-personas', (ctx, listing) => ({
      afterwards: async () => showView(ctx, await toPersonaMenu(deps, ctx, listing)),
    })),
    onAction(deps, 'show-persona', async (ctx, { persona: reference, ...listing }) => {
      const persona = await findChoosablePersona(deps, ctx, reference);
      if (!persona) return toGonePersona(deps, ctx);
      return { afterwards: async () => showView(ctx, await toPersonaView(deps, ctx, persona, listing)) };
    }),
    onAction(deps, 'use-persona', (ctx, pressed) => usePersona(deps, ctx, pressed)),
    onAction(deps, 'drop-usual-persona', async (ctx) => {
      ctx.user = await deps.accounts.updateSettings(ctx.user.id, { persona: undefined });
      return { afterwards: () => showView(ctx, { text: texts[ctx.locale].usedNoLonger }) };
    }),
  );
  return composer;
}

const MAX_SHOWN_CHARACTERS = 100;

/** Returns the notice for a persona that no longer exists, and shows the list. */
export function toGonePersona(deps: PersonasServices, ctx: BotContext): ActionAnswer {
  const hint = texts[ctx.locale].gone;
  return { hint, afterwards: async () => showView(ctx, await toPersonaMenu(deps, ctx)) };
}

/** Finds a persona by its name, with or without the emoji and ignoring case, or by its key. */
async function findByName(deps: PersonasServices, ctx: BotContext, name: string): Promise<Persona | undefined> {
  const lowerCaseName = name.toLowerCase();
  const personas = await listPersonas(deps, ctx.locale, ctx.user.id);
  return personas.find(({ label, reference }) => {
    const called = label.toLowerCase();
    return (
      called === lowerCaseName || called.slice(called.indexOf(' ') + 1) === lowerCaseName || reference === lowerCaseName
    );
  });
}

async function usePersona(
  deps: PersonasServices,
  ctx: BotContext,
  { persona: reference, isAlways, ...listing }: CallbackActionOf<'use-persona'>,
): Promise<ActionAnswer> {
  const persona = await findChoosablePersona(deps, ctx, reference);
  if (!persona || !ctx.msg) return toGonePersona(deps, ctx);
  if (!isAlways) return { afterwards: () => putOn(deps, ctx, persona, listing) };
  ctx.user = await deps.accounts.updateSettings(ctx.user.id, { persona: reference, systemPrompt: undefined });
  // The choice of this conversation would override the default.
  const conversation = await deps.conversations.findCurrentConversation(toChatTopic(ctx.msg));
  if (conversation?.promptSource) await deps.conversations.setPromptSource(conversation.id, undefined);
  return { afterwards: () => showView(ctx, { text: texts[ctx.locale].usedAlways(persona.label) }) };
}

async function putOn(
  deps: PersonasServices,
  ctx: BotContext,
  persona: Persona,
  listing?: Pick<CallbackActionOf<'use-persona'>, 'page' | 'back'>,
): Promise<void> {
  if (!ctx.msg) return;
  const conversation = await deps.conversations.currentConversation(toChatTopic(ctx.msg), ctx.user.id);
  await deps.conversations.setPromptSource(conversation.id, { kind: 'persona', persona: persona.reference });
  await showView(ctx, await toUsedPersonaView(deps, ctx, persona, listing));
}
