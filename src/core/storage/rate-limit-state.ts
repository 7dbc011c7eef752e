import type { RateLimitBudget, RateLimitDecision, RateLimitRoute } from './rate-limit-store.ts';

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
const MIN_SHARE = 1 / 8;
/** Time to recover from zero to the full budget. */
const RECOVERY_MS = 60 * 60_000;
const MAX_ACTION_TIMES = 100;

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

interface Candidate {
  readonly route: number;
  readonly waitMs: number;
  readonly usedAt: number;
  /** Breaks ties: several actions may have the same millisecond. */
  readonly uses: number;
}

function isBetter(left: Candidate, right: Candidate): boolean {
  if (left.waitMs !== right.waitMs) return left.waitMs < right.waitMs;
  return left.usedAt === right.usedAt ? left.uses < right.uses : left.usedAt < right.usedAt;
}

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

function recordAction(state: RateLimitState, budget: RateLimitBudget, now: number): RateLimitState {
  const recent = state.takenAt.filter((time) => time > now - budget.perMs).slice(-MAX_ACTION_TIMES + 1);
  return { ...state, takenAt: [...recent, now] };
}
