import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.ts';

/** Keeps the `max` entries used last, each for less than `ttlMs` after it was set. */
export function createCache<Key extends {}, Value extends {}>(
  clock: Clock,
  { max, ttlMs }: { readonly max: number; readonly ttlMs: number },
): LRUCache<Key, Value> {
  // The library's entries are stale when they are older than their ttl.
  return new LRUCache({ max, ttl: ttlMs - 1, ttlResolution: 0, perf: clock });
}
