import type { BudgetPeriod } from './budget-amounts.ts';
import type { ScopeKind } from './limited-scopes.ts';

/** Requests per minute, tokens or images per day, requests in flight, US dollars of a budget. */
export type LimitKind = 'requests' | 'tokens' | 'images' | 'atOnce' | 'dollars';

/** Thrown before a request starts because a limit is reached. */
export class LimitExceededError extends Error {
  override readonly name = 'LimitExceededError';
  readonly kind: LimitKind;
  readonly scope: ScopeKind;
  /** Value of the limit that is reached. */
  readonly limit: number;
  /**
   * Time until a retry may succeed; infinite for a total budget. An estimate for `atOnce`, and if the rest of a quota
   * is only reserved by requests in flight.
   */
  readonly retryAfterMs: number;
  /** The daily quota or the budget is used up: a retry can succeed in the next period only. */
  readonly isUsedUp: boolean;
  /** Set if `kind` is `dollars`. */
  readonly budget: BudgetState | undefined;
  readonly quotas: Quotas;

  constructor(
    refusal: Pick<LimitExceededError, 'kind' | 'scope' | 'limit' | 'retryAfterMs' | 'isUsedUp' | 'quotas'> &
      Partial<Pick<LimitExceededError, 'budget'>>,
  ) {
    super(`The limit of ${refusal.scope} is reached: ${refusal.kind}, ${refusal.limit}`);
    this.kind = refusal.kind;
    this.scope = refusal.scope;
    this.limit = refusal.limit;
    this.retryAfterMs = refusal.retryAfterMs;
    this.isUsedUp = refusal.isUsedUp;
    this.budget = refusal.budget;
    this.quotas = refusal.quotas;
  }
}

/** A budget that a request does not fit into. */
export interface BudgetState {
  readonly period: BudgetPeriod;
  /** US dollars, without those reserved by requests in flight. */
  readonly spentUsd: number;
  /** End of the period in Unix milliseconds; undefined for a total budget. */
  readonly resetsAt: number | undefined;
}

/** Remaining amounts of the tightest limit of each kind. Undefined for kinds without a limit. */
export interface Quotas {
  readonly requests: Quota | undefined;
  readonly tokens: Quota | undefined;
  readonly images: Quota | undefined;
  /** US dollars of the user, key and chat; the budget of the instance is not included. */
  readonly dollars?: DollarQuota | undefined;
}

export interface Quota {
  readonly limit: number;
  /** Never negative. */
  readonly remaining: number;
  /** Time until the whole quota is available again. */
  readonly resetMs: number;
}

/** `resetMs` is infinite for a total budget. */
export interface DollarQuota extends Quota {
  readonly period: BudgetPeriod;
}
