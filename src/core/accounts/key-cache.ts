import { createCache } from '../../lib/async/cache.ts';
import type { Clock } from '../../lib/clock.ts';

/** Looks up the identity of a secret's hash; undefined if there is none. */
export type FindByHash<Identity> = (hash: string) => Promise<Identity | undefined>;

interface KeyCache<Identity> {
  readonly find: FindByHash<Identity>;
  /** Makes lookups from now on read what has changed. */
  clear(): void;
}

/** Lifetime of cached results, negative ones included: a revoked key works for this long at most. */
const TTL_MS = 1000;
/** Bounds memory to about 2 MB; far above the keys used within a second. */
const MAX_ENTRIES = 10_000;

/**
 * Wraps a lookup in a cache of one second; concurrent calls share one lookup. Failures are not cached. The lifetime is
 * measured from the start of the lookup, so that no result older than a second is returned.
 */
export function createKeyCache<Identity>(
  { clock }: { readonly clock: Clock },
  find: FindByHash<Identity>,
): KeyCache<Identity> {
  const cache = createCache<string, Promise<Identity | undefined>>(clock, { max: MAX_ENTRIES, ttlMs: TTL_MS });

  return {
    find(hash) {
      const cached = cache.get(hash);
      if (cached) return cached;
      const result = find(hash);
      cache.set(hash, result);
      result.catch(() => {
        if (cache.peek(hash) === result) cache.delete(hash);
      });
      return result;
    },
    clear: () => cache.clear(),
  };
}
