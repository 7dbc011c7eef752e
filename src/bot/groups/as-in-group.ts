import type { User } from '../../core/accounts/index.ts';
import type { ChatTopic } from '../../core/conversations/index.ts';
import type { Group } from '../../core/groups/index.ts';
import type { BotServices } from '../kit/services.ts';

/** Returns the user with the group's settings in place of their own. */
export function asInGroup(user: User, group: Group | undefined): User {
  const { model, persona, systemPrompt, language } = group?.settings ?? {};
  const hasPromptSource = persona !== undefined || systemPrompt !== undefined;
  return {
    ...user,
    settings: {
      ...user.settings,
      ...(model !== undefined && { model }),
      ...(language !== undefined && { language }),
      ...(hasPromptSource && { persona, systemPrompt }),
    },
  };
}

/** Returns the group of a chat with its settings; undefined outside groups. */
export async function findGroup({ groups }: BotServices, { chatId }: ChatTopic): Promise<Group | undefined> {
  // Ids of groups are negative.
  return chatId < 0 ? groups.find(chatId) : undefined;
}
