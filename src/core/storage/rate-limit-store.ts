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
