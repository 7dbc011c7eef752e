/** Thrown for a call that was not made, or that Telegram refused with a 429. It is safe to make it again. */
export class DroppedCallError extends Error {
  override readonly name = 'DroppedCallError';
  readonly method: string;
  readonly reason: 'no-budget' | 'flood' | 'queue-full' | 'waited-too-long' | 'closed';
  /** Milliseconds from now after which a retry may succeed. */
  readonly retryAfterMs: number;

  constructor(method: string, reason: DroppedCallError['reason'], retryAfterMs: number) {
    super(`${method} was not called: ${reason}`);
    this.method = method;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}
