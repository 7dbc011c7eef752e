import { createCache } from '../../lib/cache.ts';
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
  { clock }: { readonly clock: Clock },
  find: FindByHash<Identity>,
): FindByHash<Identity> {
  const answers = createCache<string, Promise<Identity | undefined>>(clock, { max: MAX_ENTRIES, ttlMs: BELIEVED_MS });

  return (hash) => {
    const known = answers.get(hash);
    if (known) return known;
    const answer = find(hash);
    answers.set(hash, answer);
    answer.catch(() => {
      if (answers.peek(hash) === answer) answers.delete(hash);
    });
    return answer;
  };
}
