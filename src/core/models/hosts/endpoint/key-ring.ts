import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../../lib/clock.ts';

/** The API keys of one account, used in order. A key that was refused or has reached its limit rests for a while. */
export interface KeyRing {
  /**
   * Returns the keys to try for a model. Resting keys are last, the soonest available first, so there is always one to
   * try. `undefined` means a request without a key.
   */
  candidates(model: string): readonly (string | undefined)[];
  /** Rests a key for one model, or for every model if `model` is undefined. */
  rest(key: string | undefined, model: string | undefined, restMs: number): void;
}

const MAX_RESTS = 1000;

export function createKeyRing(clock: Clock, apiKeys: readonly string[]): KeyRing {
  if (apiKeys.length <= 1) return { candidates: () => [apiKeys[0]], rest: () => {} };
  /** Ends of rests in milliseconds since the epoch, by `<key number>` and `<key number> <model>`. */
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
