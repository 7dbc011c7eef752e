const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;

/** Delays between tries: 1 s after the first failure, doubled with each further one in a row, at most 30 s. */
export class Backoff {
  #failureCount = 0;

  /** Failures since the last success. */
  get failureCount(): number {
    return this.#failureCount;
  }

  /** Notes a failure. @returns milliseconds to wait: `delayMs` where it is known. */
  afterFailure(delayMs: number | undefined): number {
    this.#failureCount += 1;
    return delayMs ?? Math.min(FIRST_DELAY_MS * 2 ** (this.#failureCount - 1), MAX_DELAY_MS);
  }

  reset(): void {
    this.#failureCount = 0;
  }
}
