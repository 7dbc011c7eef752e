const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;

/** Exponential backoff: 1 s after the first failure, doubled with each consecutive one, at most 30 s. */
export class Backoff {
  #failureCount = 0;

  /** Failures since the last success. */
  get failureCount(): number {
    return this.#failureCount;
  }

  /** Records a failure. @returns the delay in milliseconds: `delayMs` if given. */
  afterFailure(delayMs: number | undefined): number {
    this.#failureCount += 1;
    return delayMs ?? Math.min(FIRST_DELAY_MS * 2 ** (this.#failureCount - 1), MAX_DELAY_MS);
  }

  reset(): void {
    this.#failureCount = 0;
  }
}
