/** Timeouts in milliseconds. */
export interface ProviderTimeouts {
  /** Until the connection is established. */
  readonly connectMs: number;
  /** From the request to the first event of a stream. For a completion without streaming, `totalMs` applies. */
  readonly firstTokenMs: number;
  /** Between two reads of a response. */
  readonly idleMs: number;
  /** The whole request. */
  readonly totalMs: number;
}

export const DEFAULT_PROVIDER_TIMEOUTS: ProviderTimeouts = {
  connectMs: 10_000,
  firstTokenMs: 60_000,
  idleMs: 60_000,
  totalMs: 600_000,
};
