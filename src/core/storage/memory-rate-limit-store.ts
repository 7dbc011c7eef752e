import type { Clock } from '../../lib/clock.ts';
import { acquire, type RateLimitState, slowDownState } from './rate-limit-state.ts';
import type { RateLimitStore } from './rate-limit-store.ts';

/** Creates a rate limiter for one process, on its clock. */
export function createMemoryRateLimitStore(deps: { readonly clock: Clock }): RateLimitStore {
  const states = new Map<string, RateLimitState>();
  return {
    async acquire(routes) {
      const { decision, changed } = acquire(states, routes, deps.clock.now());
      for (const [key, state] of changed) states.set(key, state);
      return decision;
    },
    async slowDown(key, freezeMs) {
      states.set(key, slowDownState(states.get(key), freezeMs, deps.clock.now()));
    },
  };
}
