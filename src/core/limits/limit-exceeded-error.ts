import type { LimitScope } from './plans.ts';

/** Requests of this minute, tokens or pictures of this day, requests in flight. */
export type LimitKind = 'requests' | 'tokens' | 'pictures' | 'atOnce';

/** Thrown before a request begins, because a limit is reached. */
export class LimitExceededError extends Error {
  override readonly name = 'LimitExceededError';
  readonly kind: LimitKind;
  readonly scope: LimitScope;
  /** The limit itself. */
  readonly limit: number;
  /** When to try again. A guess for `atOnce`, and where the rest of a day is only reserved by requests in flight. */
  readonly retryAfterMs: number;
  /** The budget of the day is used up: retrying helps on the next day only. */
  readonly isUsedUp: boolean;
  readonly budgets: Budgets;

  constructor(refusal: Pick<LimitExceededError, 'kind' | 'scope' | 'limit' | 'retryAfterMs' | 'isUsedUp' | 'budgets'>) {
    super(`The limit of ${refusal.scope} is reached: ${refusal.kind}, ${refusal.limit}`);
    this.kind = refusal.kind;
    this.scope = refusal.scope;
    this.limit = refusal.limit;
    this.retryAfterMs = refusal.retryAfterMs;
    this.isUsedUp = refusal.isUsedUp;
    this.budgets = refusal.budgets;
  }
}

/** What is left of the tightest limit of each kind. Undefined where there is no such limit. */
export interface Budgets {
  readonly requests: Budget | undefined;
  readonly tokens: Budget | undefined;
  readonly pictures: Budget | undefined;
}

export interface Budget {
  readonly limit: number;
  /** From 0. */
  readonly remaining: number;
  /** Until the whole budget is available again. */
  readonly resetMs: number;
}
