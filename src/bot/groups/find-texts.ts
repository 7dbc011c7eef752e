import type { Place } from '../../core/conversations/index.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import { findLocale, locales, type Texts } from '../texts/locales.ts';
import { findGroup } from './as-in-group.ts';

/** Returns the texts for a user in a chat without an update: in groups in the group's language if it has one. */
export async function findTexts(
  deps: Pick<BotDeps, 'accounts' | 'groups'>,
  { userId, place }: { readonly userId: number; readonly place: Place },
): Promise<Texts> {
  const group = await findGroup(deps, place);
  const user = await deps.accounts.findUser(userId);
  return locales[findLocale(group?.settings.language ?? user?.settings.language)];
}
