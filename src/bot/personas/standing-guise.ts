import type { User } from '../../core/accounts/index.ts';
import type { ThreadDetails } from '../../core/conversations/index.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import type { BotContext } from '../framework/context.ts';
import { toPlace } from '../framework/place.ts';
import type { Locale } from '../texts/locale.ts';
import { findPersona, type Persona } from './persona.ts';

/** Who answers a person in a conversation, and what the model is told for it. */
export interface StandingGuise {
  readonly instructions: string;
  /** Undefined where somebody has written the instructions. */
  readonly persona: Persona | undefined;
  /** The person has it in every conversation that has no other one. */
  readonly isDefault: boolean;
  /** Another user has written the instructions. */
  readonly isForeign: boolean;
}

/** What was chosen for the conversation, or else what the person has everywhere; undefined where neither is there. */
export async function findStandingGuise(
  deps: Pick<BotDeps, 'personas'>,
  locale: Locale,
  { user, thread }: { readonly user: User | undefined; readonly thread: ThreadDetails | undefined },
): Promise<StandingGuise | undefined> {
  const guise = thread?.guise;
  if (guise?.kind === 'instructions') {
    const isForeign = guise.userId !== user?.id;
    return { instructions: guise.text, persona: undefined, isDefault: false, isForeign };
  }
  const isOthers = (persona: Persona) => persona.own !== undefined && persona.own.userId !== user?.id;
  const chosen = guise && (await findPersona(deps, locale, guise.persona));
  if (chosen)
    return { instructions: chosen.instructions, persona: chosen, isDefault: false, isForeign: isOthers(chosen) };
  const { systemPrompt, persona: everywhere } = user?.settings ?? {};
  if (systemPrompt !== undefined)
    return { instructions: systemPrompt, persona: undefined, isDefault: true, isForeign: false };
  const usual = everywhere === undefined ? undefined : await findPersona(deps, locale, everywhere);
  return usual && { instructions: usual.instructions, persona: usual, isDefault: true, isForeign: isOthers(usual) };
}

/** Who answers here. */
export async function findGuiseHere(
  deps: Pick<BotDeps, 'personas' | 'conversations'>,
  ctx: BotContext,
): Promise<StandingGuise | undefined> {
  const thread = ctx.msg && (await deps.conversations.findCurrentThread(toPlace(ctx.msg)));
  return findStandingGuise(deps, ctx.locale, { user: ctx.user, thread });
}
