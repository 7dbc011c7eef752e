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

/** A person as they are at a place: in groups as there, elsewhere as they are. */
export async function findInPlace(
  { groups }: { readonly groups: Pick<Groups, 'find'> },
  person: Person,
  { chatId }: Place,
): Promise<Person> {
  // Groups have negative ids.
  return chatId < 0 ? asInGroup(person, await groups.find(chatId)) : person;
}
