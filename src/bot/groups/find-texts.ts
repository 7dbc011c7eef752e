import type { ChatTopic } from '../../core/conversations/index.ts';
import type { BotServices } from '../kit/services.ts';
import { findLocale, locales, type Texts } from '../texts/locales.ts';
import { findGroup } from './as-in-group.ts';

/** Returns the texts for a user in a chat without an update: in groups in the group's language if it has one. */
export async function findTexts(
  services: BotServices,
  { userId, chatTopic }: { readonly userId: number; readonly chatTopic: ChatTopic },
): Promise<Texts> {
  const group = await findGroup(services, chatTopic);
  const user = await services.accounts.findUser(userId);
  return locales[findLocale(group?.settings.language ?? user?.settings.language)];
}
