import type { BudgetAmounts } from './budget-amounts.ts';
import type { BudgetState, Quotas } from './limit-exceeded-error.ts';
import type { LimitedRequester } from './limited-scopes.ts';
import type { UsageRow } from './reservations.ts';

/** Expected usage of a request. */
export interface ExpectedUse {
  /** Returns the tokens that must be available. Only called if tokens are limited. */
  readonly tokens: () => number;
  /** Tokens reserved in addition, as far as available, until the actual usage is known. */
  readonly moreTokens: number;
  readonly images: number;
  /** Set for requests that can cost money. */
  readonly spending?: ExpectedSpending | undefined;
}

export interface ExpectedSpending {
  /** Public name of the model. */
  readonly model: string;
  /** Returns the bounds of the cost; undefined if a price is not known. Only called if a budget applies. */
  readonly cost: () => ExpectedCost | undefined;
  /**
   * Returns a field of the request that a host may charge for beside the model, by an unknown amount. Only called if a
   * budget applies. Default none.
   */
  readonly findPaidField?: (() => string | undefined) | undefined;
  /** Returns the row of the usage ledger in case the process ends while the request is in flight; without its cost. */
  readonly usage: () => UsageRow;
}

/** Bounds of the cost of a request in US dollars. */
export interface ExpectedCost {
  /** Must be available. */
  readonly leastUsd: number;
  /** Reserved as far as available. The request must not cost more than what was reserved. */
  readonly mostUsd: number;
}

/** Actual usage of a request. */
export interface RealUse {
  readonly tokens: number;
  readonly images: number;
  /** US dollars; undefined counts nothing. */
  readonly costUsd?: number | undefined;
  /** Row of the usage ledger, if `grantedUsd` is set: it is written with the settlement, both or neither. */
  readonly usage?: UsageRow | undefined;
}

export interface Reservation {
  /** Remaining quotas after this reservation; undefined if nothing is limited. */
  readonly quotas: Quotas | undefined;
  /** US dollars reserved for the request; undefined if no budget applies. */
  readonly grantedUsd?: number | undefined;
  /**
   * US dollars that the request counts with if its cost is not known in the end, although its price was known before:
   * those reserved. Undefined if no budget applies or the price was not known.
   */
  readonly unknownCostUsd?: number | undefined;
  /**
   * Records the actual usage and releases the rest of the reservation. Must be called once the request has ended,
   * whether it succeeded or not; only the first call has an effect.
   */
  settle(use: RealUse): void;
}

/** Limits that are exact across all processes on one database. Requests without limits cost no statement. */
export interface Limits {
  readonly planNames: readonly string[];
  /**
   * Reserves quota in all limited scopes of the caller, or in none.
   * @throws LimitExceededError if a limit is reached; ModelPriceUnknownError; database errors.
   */
  reserve(requester: LimitedRequester, expected: ExpectedUse): Promise<Reservation>;
  /** Returns the remaining quotas of the user's own limits; undefined if there are none. */
  readQuotas(requester: Pick<LimitedRequester, 'userId' | 'plan'>): Promise<Quotas | undefined>;
  /** Returns the amounts that the user's plan allows each API key to spend. */
  readKeyBudget(requester: Pick<LimitedRequester, 'userId' | 'plan'>): Promise<BudgetAmounts>;
  /** Returns the user's own budgets: the day's, the month's and the total one, as far as there are any. */
  readBudgets(requester: Pick<LimitedRequester, 'userId' | 'plan'>): Promise<readonly OwnBudget[]>;
  /** Writes pending settlements. */
  flush(): Promise<void>;
  /** Writes pending settlements. No reservation may follow. */
  close(): Promise<void>;
}

/** A budget as its owner sees it. */
export interface OwnBudget extends BudgetState {
  readonly limitUsd: number;
}
