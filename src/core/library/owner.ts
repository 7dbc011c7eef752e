import { type SQL, sql } from 'drizzle-orm';

/** Owner of a library: a user (their private chat and stored files), or a group (what was given to the bot in it). */
export type LibraryOwner = { readonly userId: number } | { readonly groupId: number };

/**
 * Returns the word that each chunk of the owner has, so that the index finds only those of the owner. Words of texts
 * have no `@`.
 */
export function toOwnerWord(owner: LibraryOwner): string {
  return 'userId' in owner ? `@user${owner.userId}` : `@group${owner.groupId}`;
}

/** Returns the condition for the chunks of an owner, which no index answers: the owner's word does. */
export function isOwnedBy(owner: LibraryOwner): SQL {
  const [userId, groupId] = 'userId' in owner ? [owner.userId, null] : [null, owner.groupId];
  return sql`(user_id is not distinct from ${userId}::integer and group_id is not distinct from ${groupId}::bigint)`;
}
