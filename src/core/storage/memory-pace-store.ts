import type { Clock } from '../../lib/clock.ts';
import { acquire, type PaceState, slowDownState } from './pace-state.ts';
import type { PaceStore } from './pace-store.ts';

/** Creates a rate limiter for one process, on its clock. */
export function createMemoryPaceStore(deps: { readonly clock: Clock }): PaceStore {
  const states = new Map<string, PaceState>();
  return {
    async take(routes) {
      const { decision, changed } = acquire(states, routes, deps.clock.now());
      for (const [key, state] of changed) states.set(key, state);
      return decision;
    },
    async slowDown(key, freezeMs) {
      states.set(key, slowDownState(states.get(key), freezeMs, deps.clock.now()));
    },
  };
}
