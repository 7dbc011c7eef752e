import type { Clock } from '../../lib/clock.ts';

/**
 * Rate limiter that several processes may share. An action is either allowed at once or must wait. A wait reserves
 * nothing, so an abandoned wait costs nothing.
 */
export interface RateLimitStore {
  /**
   * Acquires one action on the route that is free first. Among free routes it chooses the least recently used one.
   * @param routes routes; at least one.
   */
  acquire(routes: readonly RateLimitRoute[]): Promise<RateLimitDecision>;
  /**
   * Records a refusal by the remote side: the budget is frozen for `freezeMs`, then runs at half its rate and recovers
   * slowly.
   */
  slowDown(key: string, freezeMs: number): Promise<void>;
}

/** A route that an action can take. It is free when all its budgets are; an action counts in each of them. */
export interface RateLimitRoute {
  readonly budgets: readonly [RateLimitBudget, ...RateLimitBudget[]];
}

export interface RateLimitBudget {
  /** Unique name of the budget, the same in all processes. */
  readonly key: string;
  /** Maximum number of actions in any window of `perMs`. At least 1. */
  readonly count: number;
  readonly perMs: number;
  /** Minimum time between two actions. */
  readonly gapMs: number;
}

export type RateLimitDecision =
  /** `route` is the index of the acquired route. */
  | { readonly kind: 'go'; readonly route: number }
  /** Time until a route is free, unless another client acquires it first. */
  | { readonly kind: 'wait'; readonly waitMs: number };

/** State of a budget. Times are milliseconds since the epoch. */
export interface RateLimitState {
  /** Times of the last actions, oldest first. */
  readonly takenAt: readonly number[];
  readonly frozenUntil: number;
  /** Share of the budget that was left after the last refusal: above 0, at most 1. */
  readonly share: number;
  /** When the budget begins to recover after the last refusal. */
  readonly slowedAt: number;
}

export type RateLimitStates = ReadonlyMap<string, RateLimitState>;

/** State of an unused budget. */
export const UNUSED_STATE: RateLimitState = { takenAt: [], frozenUntil: 0, share: 1, slowedAt: 0 };

interface Candidate {
  readonly route: number;
  readonly waitMs: number;
  readonly usedAt: number;
  /** Breaks ties: several actions may have the same millisecond. */
  readonly uses: number;
}

/** Decides about one action at `now`. Returns the decision and the changed states. */
export function acquire(
  states: RateLimitStates,
  routes: readonly RateLimitRoute[],
  now: number,
): { readonly decision: RateLimitDecision; readonly changed: RateLimitStates } {
  let best: Candidate | undefined;
  for (const [route, { budgets }] of routes.entries()) {
    const waitMs = Math.max(...budgets.map((budget) => waitMsOf(states.get(budget.key) ?? UNUSED_STATE, budget, now)));
    const { takenAt } = states.get(budgets[0].key) ?? UNUSED_STATE;
    const candidate = { route, waitMs, usedAt: takenAt.at(-1) ?? 0, uses: takenAt.length };
    if (!best || isBetter(candidate, best)) best = candidate;
  }
  if (!best) throw new TypeError('No route to choose from');
  if (best.waitMs > 0) return { decision: { kind: 'wait', waitMs: Math.ceil(best.waitMs) }, changed: new Map() };
  const changed = new Map<string, RateLimitState>();
  for (const budget of routes[best.route]?.budgets ?? [])
    changed.set(budget.key, recordAction(states.get(budget.key) ?? UNUSED_STATE, budget, now));
  return { decision: { kind: 'go', route: best.route }, changed };
}

function isBetter(left: Candidate, right: Candidate): boolean {
  if (left.waitMs !== right.waitMs) return left.waitMs < right.waitMs;
  return left.usedAt === right.usedAt ? left.uses < right.uses : left.usedAt < right.usedAt;
}

const MIN_SHARE = 1 / 8;

/** Returns the state after a refusal at `now`: frozen, with half of its share. */
export function slowDownState(state: RateLimitState | undefined, freezeMs: number, now: number): RateLimitState {
  const before = state ?? UNUSED_STATE;
  return {
    takenAt: before.takenAt,
    frozenUntil: Math.max(before.frozenUntil, now + freezeMs),
    share: Math.max(MIN_SHARE, shareAt(before, now) / 2),
    // The share does not recover while the budget is frozen.
    slowedAt: Math.max(before.frozenUntil, now + freezeMs),
  };
}

/** Time to recover from zero to the full budget. */
const RECOVERY_MS = 60 * 60_000;

function shareAt({ share, slowedAt }: RateLimitState, now: number): number {
  return Math.min(1, share + Math.max(0, now - slowedAt) / RECOVERY_MS);
}

function waitMsOf(state: RateLimitState, budget: RateLimitBudget, now: number): number {
  const share = shareAt(state, now);
  const count = Math.max(1, Math.floor(budget.count * share));
  const first = state.takenAt.at(-count);
  const last = state.takenAt.at(-1);
  return Math.max(
    0,
    state.frozenUntil - now,
    first === undefined ? 0 : first + budget.perMs - now,
    last === undefined ? 0 : last + budget.gapMs / share - now,
  );
}

const MAX_ACTION_TIMES = 100;

function recordAction(state: RateLimitState, budget: RateLimitBudget, now: number): RateLimitState {
  const recent = state.takenAt.filter((time) => time > now - budget.perMs).slice(-MAX_ACTION_TIMES + 1);
  return { ...state, takenAt: [...recent, now] };
}

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
