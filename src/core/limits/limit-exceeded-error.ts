import type { LimitScope } from './plans.ts';

/** Requests per minute, tokens or images per day, requests in flight. */
export type LimitKind = 'requests' | 'tokens' | 'images' | 'atOnce';

/** Thrown before a request starts because a limit is reached. */
export class LimitExceededError extends Error {
  override readonly name = 'LimitExceededError';
  readonly kind: LimitKind;
  readonly scope: LimitScope;
  /** Value of the limit that is reached. */
  readonly limit: number;
  /**
   * Time until a retry may succeed. An estimate for `atOnce`, and if the rest of a daily quota is only reserved by
   * requests in flight.
   */
  readonly retryAfterMs: number;
  /** The daily quota is used up: a retry can succeed on the next day only. */
  readonly isUsedUp: boolean;
  readonly quotas: Quotas;

  constructor(refusal: Pick<LimitExceededError, 'kind' | 'scope' | 'limit' | 'retryAfterMs' | 'isUsedUp' | 'quotas'>) {
    super(`The limit of ${refusal.scope} is reached: ${refusal.kind}, ${refusal.limit}`);
    this.kind = refusal.kind;
    this.scope = refusal.scope;
    this.limit = refusal.limit;
    this.retryAfterMs = refusal.retryAfterMs;
    this.isUsedUp = refusal.isUsedUp;
    this.quotas = refusal.quotas;
  }
}

/** Remaining amounts of the tightest limit of each kind. Undefined for kinds without a limit. */
export interface Quotas {
  readonly requests: Quota | undefined;
  readonly tokens: Quota | undefined;
  readonly images: Quota | undefined;
}

export interface Quota {
  readonly limit: number;
  /** Never negative. */
  readonly remaining: number;
  /** Time until the whole quota is available again. */
  readonly resetMs: number;
}
