/** How often requests for a model failed in one way. */
export interface FailureCount {
  /** The provider's name of the model; the requested name if no provider was asked. */
  readonly model: string;
  /** Undefined if no provider was asked. */
  readonly provider: string | undefined;
  /** Kind of failure, as in the metrics: `rate_limited`. */
  readonly outcome: string;
  readonly count: number;
  readonly lastAt: Date;
}

/** Failed requests of this process. */
export interface FailureCounts {
  /** The latest ones first. */
  list(): readonly FailureCount[];
}
