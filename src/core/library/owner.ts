import { type SQL, sql } from 'drizzle-orm';
import type { ChatOwner } from '../conversations/index.ts';

/** Chunks of an owner with consecutive numbers that have a common word. */
const SHELF_CHUNKS = 4096;

/**
 * Returns the word that each chunk of the owner has, so that the index finds only those of the owner. Words of texts
 * have no `@`.
 */
export function toOwnerWord(owner: ChatOwner): string {
  return 'userId' in owner ? `@user${owner.userId}` : `@group${owner.groupId}`;
}

/**
 * Returns the word of the owner's chunks with numbers near this one, by which a search for a frequent word is limited to
 * recent chunks.
 */
export function toShelfWord(owner: ChatOwner, number: number): string {
  return `${toOwnerWord(owner)}/${Math.floor(number / SHELF_CHUNKS)}`;
}

/** Returns a text search query for the owner's last chunks, at least `count`; for all if there are no more. */
export function toScopeQuery(owner: ChatOwner, lastNumber: number, count: number): SQL {
  if (count >= lastNumber) return toTextQuery([toOwnerWord(owner)]);
  const shelves = Math.ceil(count / SHELF_CHUNKS) + 1;
  const numbers = Array.from({ length: shelves }, (_, shelf) => lastNumber - shelf * SHELF_CHUNKS);
  return toTextQuery(numbers.filter((number) => number >= 0).map((number) => toShelfWord(owner, number)));
}

function toTextQuery(words: readonly string[]): SQL {
  return sql`${words.map((word) => `'${word}'`).join(' | ')}::tsquery`;
}

/** Returns the condition for the chunks of an owner that uses no index: the owner's words do. */
export function isOwnedBy(owner: ChatOwner): SQL {
  const [userId, groupId] = 'userId' in owner ? [owner.userId, null] : [null, owner.groupId];
  return sql`(user_id is not distinct from ${userId}::integer and group_id is not distinct from ${groupId}::bigint)`;
}
