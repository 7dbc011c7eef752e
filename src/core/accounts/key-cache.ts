import type { Clock } from '../../lib/clock.ts';

/** Looks up whoever stands behind the hash of a secret; undefined where nobody does. */
export type FindByHash<Identity> = (hash: string) => Promise<Identity | undefined>;

/** How long an answer of the database is believed, "nobody" included: a revoked key works for this long at most. */
const BELIEVED_MS = 1000;
/** A bound on memory (about 2 MB), far above the keys that are used within a second. */
const MAX_ENTRIES = 10_000;

/**
 * The same lookup, asked at most once a second for each hash; requests that come while it is under way share it.
 * Failures are not kept. The time counts from the question, so that nothing older than a second is ever believed.
 */
export function createKeyCache<Identity>(
  deps: { readonly clock: Clock },
  find: FindByHash<Identity>,
): FindByHash<Identity> {
  const entries = new Map<string, { readonly askedAt: number; readonly answer: Promise<Identity | undefined> }>();

  const ask = (hash: string, askedAt: number) => {
    const answer = find(hash);
    const entry = { askedAt, answer };
    // Deleted first: a map keeps the place of a key that is set again, and the oldest is what makes room.
    entries.delete(hash);
    if (entries.size >= MAX_ENTRIES) for (const oldest of entries.keys().take(1)) entries.delete(oldest);
    entries.set(hash, entry);
    answer.catch(() => {
      if (entries.get(hash) === entry) entries.delete(hash);
    });
    return answer;
  };

  return (hash) => {
    const now = deps.clock.now();
    const entry = entries.get(hash);
    // A clock that was set back makes no entry immortal.
    const isFresh = entry !== undefined && now >= entry.askedAt && now - entry.askedAt < BELIEVED_MS;
    return isFresh ? entry.answer : ask(hash, now);
  };
}
