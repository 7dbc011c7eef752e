import type { Place } from '../../core/conversations/index.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import { findLocale, locales, type Texts } from '../texts/locales.ts';
import { findGroup } from './as-in-group.ts';

/** The words for somebody at a place, long after what they wrote there: in groups those of the group, where it has chosen a language. */
export async function findTexts(
  deps: Pick<BotDeps, 'accounts' | 'groups'>,
  { userId, place }: { readonly userId: number; readonly place: Place },
): Promise<Texts> {
  const group = await findGroup(deps, place);
  const user = await deps.accounts.findUser(userId);
  return locales[findLocale(group?.settings.language ?? user?.settings.language)];
}
