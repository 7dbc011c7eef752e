import type { User } from '../../core/accounts/index.ts';
import type { Place } from '../../core/conversations/index.ts';
import type { Group, Groups } from '../../core/groups/index.ts';

/** A person with what the admins of a group have chosen for everybody there in place of their own choices. */
export function asInGroup(user: User, group: Group | undefined): User {
  const { model, persona, systemPrompt, language } = group?.settings ?? {};
  const hasGuise = persona !== undefined || systemPrompt !== undefined;
  return {
    ...user,
    settings: {
      ...user.settings,
      ...(model !== undefined && { model }),
      ...(language !== undefined && { language }),
      ...(hasGuise && { persona, systemPrompt }),
    },
  };
}

/** What the admins of the group at a place have chosen; undefined outside groups. */
export async function findGroup(
  { groups }: { readonly groups: Pick<Groups, 'find'> },
  { chatId }: Place,
): Promise<Group | undefined> {
  // Groups have negative ids.
  return chatId < 0 ? groups.find(chatId) : undefined;
}
