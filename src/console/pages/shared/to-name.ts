import type { ManagedUser } from '../../api/types.ts';

/** Returns the note about a user, else the name, each with the username. */
export function toName({ note, name, username }: ManagedUser): string | undefined {
  const parts = [note ?? name, username === null ? null : `@${username}`].filter((part) => part !== null);
  return parts.length === 0 ? undefined : parts.join(' ');
}
