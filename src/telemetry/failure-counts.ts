import { LRUCache } from 'lru-cache';
import type { FailureCount, FailureCounts } from '../lib/log/failure-count.ts';
import { createObserver, type Observer } from '../lib/log/observer.ts';
import { toGenerationOutcome } from './outcomes.ts';

/** The longest unseen are forgotten: requested names of models can be anything. */
const MAX_COUNTS = 200;
const MAX_NAME_LENGTH = 200;
/** Failures before a provider was asked. The others are counted by attempt, because a request may have several. */
const BEFORE_ATTEMPTS: ReadonlySet<string> = new Set(['unknown_model', 'over_limit', 'queue_full']);
const NO_FAILURES: ReadonlySet<string> = new Set(['success', 'given_up']);

/** Counts failed generations and attempts at providers, in memory. @param now in milliseconds. */
export function createFailureCounts(now: () => number): FailureCounts & { readonly observer: Observer } {
  const counts = new LRUCache<string, FailureCount>({ max: MAX_COUNTS });
  const add = (model: string, provider: string | undefined, outcome: string) => {
    const key = JSON.stringify([model, provider, outcome]);
    const count = (counts.get(key)?.count ?? 0) + 1;
    counts.set(key, { model, provider, outcome, count, lastAt: new Date(now()) });
  };
  const observer = createObserver<undefined>({
    isFlat: true,
    onBegin: () => undefined,
    onEnd(_token, name, { model, provider }, error) {
      const isAttempt = name === 'provider attempt';
      if (error === undefined || !(isAttempt || name === 'generation')) return;
      const outcome = toGenerationOutcome(error);
      if (NO_FAILURES.has(outcome) || BEFORE_ATTEMPTS.has(outcome) === isAttempt) return;
      add(String(model).slice(0, MAX_NAME_LENGTH).toWellFormed(), isAttempt ? String(provider) : undefined, outcome);
    },
  });
  return { observer, list: () => [...counts.values()] };
}
