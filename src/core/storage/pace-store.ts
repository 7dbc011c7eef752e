/**
 * Rates that several processes keep together. The first one that needs an action asks for it and is told to go or to wait;
 * nothing is booked for whoever waits, so nothing is lost when they give up.
 */
export interface PaceStore {
  /**
   * Books one action on the lane that is free first; among free ones, on the one that was used longest ago.
   * @param lanes at least one.
   */
  take(lanes: readonly PaceLane[]): Promise<PaceTurn>;
  /** The other side has refused: nothing goes for `freezeMs`, and the budget is slower afterwards. It recovers slowly. */
  slowDown(key: string, freezeMs: number): Promise<void>;
}

/** A way an action may go. Free when each of its budgets is; an action counts in all of them. */
export interface PaceLane {
  readonly budgets: readonly [PaceBudget, ...PaceBudget[]];
}

export interface PaceBudget {
  /** Names the budget in all processes. */
  readonly key: string;
  /** Actions in any stretch of `perMs`. At least 1. */
  readonly count: number;
  readonly perMs: number;
  /** The least time between two actions. */
  readonly gapMs: number;
}

export type PaceTurn =
  /** `lane` is the index of the lane that was booked. */
  | { readonly kind: 'go'; readonly lane: number }
  /** When a lane is free, if nobody else takes it. */
  | { readonly kind: 'wait'; readonly waitMs: number };
