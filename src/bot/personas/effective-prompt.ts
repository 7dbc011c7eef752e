import type { User } from '../../core/accounts/index.ts';
import type { ConversationDetails } from '../../core/conversations/index.ts';
import { toChatTopic } from '../kit/chats.ts';
import type { BotContext } from '../kit/context.ts';
import type { BotServices } from '../kit/services.ts';
import type { Locale } from '../texts/locale.ts';
import { findPersona, type Persona } from './persona.ts';

/** Persona and system prompt of a user in a conversation. */
export interface EffectivePrompt {
  readonly instructions: string;
  /** Undefined if the instructions were written for the conversation or the user. */
  readonly persona: Persona | undefined;
  /** The user's default, used in conversations without a choice of their own. */
  readonly isDefault: boolean;
  /** Another user has written the instructions. */
  readonly isForeign: boolean;
}

/** Returns the choice of the conversation, otherwise the user's default; undefined if there is neither. */
export async function findEffectivePrompt(
  services: BotServices,
  locale: Locale,
  { user, conversation }: { readonly user: User | undefined; readonly conversation: ConversationDetails | undefined },
): Promise<EffectivePrompt | undefined> {
  const promptSource = conversation?.promptSource;
  if (promptSource?.kind === 'instructions') {
    const isForeign = promptSource.userId !== user?.id;
    return { instructions: promptSource.text, persona: undefined, isDefault: false, isForeign };
  }
  const isOthers = ({ own }: Persona) => own !== undefined && (own.isCopied || own.userId !== user?.id);
  const chosen = promptSource && (await findPersona(services, locale, promptSource.persona));
  if (chosen)
    return { instructions: chosen.instructions, persona: chosen, isDefault: false, isForeign: isOthers(chosen) };
  const { systemPrompt, persona: everywhere } = user?.settings ?? {};
  if (systemPrompt !== undefined)
    return { instructions: systemPrompt, persona: undefined, isDefault: true, isForeign: false };
  const usual = everywhere === undefined ? undefined : await findPersona(services, locale, everywhere);
  return usual && { instructions: usual.instructions, persona: usual, isDefault: true, isForeign: isOthers(usual) };
}

/** Returns the persona and system prompt for the current conversation. */
export async function findEffectivePromptHere(
  services: BotServices,
  ctx: BotContext,
): Promise<EffectivePrompt | undefined> {
  const conversation = ctx.msg && (await services.conversations.findCurrentConversation(toChatTopic(ctx.msg)));
  return findEffectivePrompt(services, ctx.locale, { user: ctx.user, conversation });
}
