import type { Person } from '../../core/accounts/index.ts';
import type { Place } from '../../core/conversations/index.ts';
import type { Group, Groups } from '../../core/groups/index.ts';

/** A person with what the admins of a group have chosen for everybody there in place of their own choices. */
export function asInGroup(person: Person, group: Group | undefined): Person {
  const { model, persona, systemPrompt, language } = group?.settings ?? {};
  const hasGuise = persona !== undefined || systemPrompt !== undefined;
  return {
    ...person,
    settings: {
      ...person.settings,
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
