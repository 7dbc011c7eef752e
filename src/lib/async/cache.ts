import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';

/** Creates an LRU cache of `max` entries, each valid for less than `ttlMs` after it was set. */
export function createCache<Key extends {}, Value extends {}>(
  clock: Clock,
  { max, ttlMs }: { readonly max: number; readonly ttlMs: number },
): LRUCache<Key, Value> {
  // The library treats entries as stale when they are older than the TTL.
  return new LRUCache({ max, ttl: ttlMs - 1, ttlResolution: 0, perf: clock });
}
