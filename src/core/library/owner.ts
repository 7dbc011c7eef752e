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

/** Recent chunks of an owner, or all. */
export interface Scope {
  /** Text search query. */
  readonly query: SQL;
  readonly chunkCount: number;
  readonly isWhole: boolean;
}

/** Returns the owner's last chunks, at least `count`; all if there are no more. */
export function toScope(owner: ChatOwner, lastNumber: number, count: number): Scope {
  if (count >= lastNumber)
    return { query: toTextQuery([toOwnerWord(owner)]), chunkCount: Math.max(1, lastNumber), isWhole: true };
  const last = Math.floor(lastNumber / SHELF_CHUNKS);
  const first = Math.max(0, last - Math.ceil(count / SHELF_CHUNKS));
  const numbers = Array.from({ length: last - first + 1 }, (_, shelf) => (first + shelf) * SHELF_CHUNKS);
  const query = toTextQuery(numbers.map((number) => toShelfWord(owner, number)));
  return { query, chunkCount: lastNumber - first * SHELF_CHUNKS + 1, isWhole: false };
}

function toTextQuery(words: readonly string[]): SQL {
  return sql`${words.map((word) => `'${word}'`).join(' | ')}::tsquery`;
}

/** Returns the condition for the chunks of an owner that uses no index: the owner's words do. */
export function isOwnedBy(owner: ChatOwner): SQL {
  const [userId, groupId] = 'userId' in owner ? [owner.userId, null] : [null, owner.groupId];
  return sql`(library_chunks.user_id is not distinct from ${userId}::integer and library_chunks.group_id is not distinct from ${groupId}::bigint)`;
}
