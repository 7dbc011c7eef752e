import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../../lib/clock.ts';

/** The API keys of one account, used in order; a key that was refused or used up is rested for a while. */
export interface KeyRing {
  /**
   * The keys to try for a model, rested ones last (the soonest free first), so that there is always one to ask.
   * `undefined` stands for asking without a key.
   */
  candidates(model: string): readonly (string | undefined)[];
  /** Rests a key for one model, or for every model where `model` is undefined. */
  rest(key: string | undefined, model: string | undefined, restMs: number): void;
}

const MAX_RESTS = 1000;

export function createKeyRing(clock: Clock, apiKeys: readonly string[]): KeyRing {
  if (apiKeys.length <= 1) return { candidates: () => [apiKeys[0]], rest: () => {} };
  /** By `<key number>` and `<key number> <model>`: when the rest ends, milliseconds since the epoch. */
  const rests = new LRUCache<string, number>({ max: MAX_RESTS });
  const freeAt = (number: number, model: string) =>
    Math.max(rests.get(`${number}`) ?? 0, rests.get(`${number} ${model}`) ?? 0);

  return {
    candidates(model) {
      const now = clock.now();
      return apiKeys
        .map((key, number) => ({ key, waitMs: Math.max(0, freeAt(number, model) - now) }))
        .sort((a, b) => a.waitMs - b.waitMs)
        .map(({ key }) => key);
    },
    rest(key, model, restMs) {
      const number = key === undefined ? -1 : apiKeys.indexOf(key);
      if (number < 0) return;
      rests.set(model === undefined ? `${number}` : `${number} ${model}`, clock.now() + restMs);
    },
  };
}
