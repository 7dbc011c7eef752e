import type { Clock } from '../clock.ts';

export interface LeaseRenewalParams {
  /** Interval of the renewals; a fraction of the lease. */
  readonly everyMs: number;
  /** Time after which a lease counts as abandoned and is no longer renewed. */
  readonly maxDurationMs: number;
  readonly renew: (ids: readonly string[]) => void;
}

/** Renews the leases of work that is not finished yet, all by one call. */
export class LeaseRenewal {
  readonly #clock: Clock;
  readonly #params: LeaseRenewalParams;
  /** Begin of each lease in Unix milliseconds, by id. */
  readonly #begunAt = new Map<string, number>();
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, params: LeaseRenewalParams) {
    this.#clock = clock;
    this.#params = params;
  }

  add(id: string): void {
    this.#begunAt.set(id, this.#clock.now());
    this.#schedule();
  }

  remove(id: string): void {
    this.#begunAt.delete(id);
  }

  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #schedule(): void {
    const { everyMs, maxDurationMs, renew } = this.#params;
    this.#cancelTimer ??= this.#clock.setTimer(everyMs, () => {
      this.#cancelTimer = undefined;
      const oldest = this.#clock.now() - maxDurationMs;
      for (const [id, begunAt] of this.#begunAt) if (begunAt < oldest) this.#begunAt.delete(id);
      if (this.#begunAt.size === 0) return;
      renew([...this.#begunAt.keys()]);
      this.#schedule();
    });
  }
}
