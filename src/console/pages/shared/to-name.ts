import type { ManagedUser } from '../../api/types.ts';

/** Returns the note about a user, else the name, each with the username. */
export function toName({ note, name, username }: ManagedUser): string | undefined {
  const parts = [note ?? name, username === null ? null : `@${username}`].filter((part) => part !== null);
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** Returns what admins call a user or an account, with what identifies it: `Ann, Sales (123456789)`. */
export function printUser(id: string | number, name: string | null | undefined): string {
  return name === null || name === undefined ? String(id) : `${name} (${id})`;
}
