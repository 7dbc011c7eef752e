import type { LimitScope } from './plans.ts';

/** What there is no more of: requests of this minute, tokens or pictures of this day, places for work under way. */
export type LimitKind = 'requests' | 'tokens' | 'pictures' | 'atOnce';

/** Nothing was begun, because a limit leaves no room for it. */
export class LimitExceededError extends Error {
  override readonly name = 'LimitExceededError';
  readonly kind: LimitKind;
  readonly scope: LimitScope;
  /** The limit itself. */
  readonly limit: number;
  /** When it can go on. For `atOnce`, and where others' work only holds the rest of a day, a guess. */
  readonly retryAfterMs: number;
  /** True where what a day allows is used up: nothing goes on before the next day. */
  readonly isUsedUp: boolean;
  readonly standing: LimitStanding;

  constructor(
    refusal: Pick<LimitExceededError, 'kind' | 'scope' | 'limit' | 'retryAfterMs' | 'isUsedUp' | 'standing'>,
  ) {
    super(`The limit of ${refusal.scope} is reached: ${refusal.kind}, ${refusal.limit}`);
    this.kind = refusal.kind;
    this.scope = refusal.scope;
    this.limit = refusal.limit;
    this.retryAfterMs = refusal.retryAfterMs;
    this.isUsedUp = refusal.isUsedUp;
    this.standing = refusal.standing;
  }
}

/** How much of the tightest limits is left. Undefined where there is no such limit. */
export interface LimitStanding {
  readonly requests: Budget | undefined;
  readonly tokens: Budget | undefined;
  readonly pictures: Budget | undefined;
}

export interface Budget {
  readonly limit: number;
  /** From 0. */
  readonly remaining: number;
  /** Until all of it is there again. */
  readonly resetMs: number;
}
