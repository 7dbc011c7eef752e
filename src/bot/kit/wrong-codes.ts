import { createCache } from '../../lib/async/cache.ts';
import type { Clock } from '../../lib/clock.ts';

/** Wrong codes of an account in an hour, after which none of its codes is looked up. */
const MAX_WRONG_CODES = 5;
const WRONG_CODES_MS = 3_600_000;
/** Bounds memory. */
const MAX_ACCOUNTS = 10_000;

/** Counts wrong codes of links by account, so that they can't be guessed. */
export function createWrongCodes(clock: Clock) {
  const counts = createCache<number, number>(clock, { max: MAX_ACCOUNTS, ttlMs: WRONG_CODES_MS });
  const count = (telegramId: number) => counts.get(telegramId) ?? 0;
  return {
    areTooMany: (telegramId: number): boolean => count(telegramId) >= MAX_WRONG_CODES,
    add: (telegramId: number): void => void counts.set(telegramId, count(telegramId) + 1),
  };
}
