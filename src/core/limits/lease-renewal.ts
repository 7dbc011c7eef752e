import type { Clock } from '../../lib/clock.ts';
import { LEASE_MS } from './limit-statements.ts';

const RENEW_EVERY_MS = LEASE_MS / 3;
/** After this time a reservation counts as abandoned and is no longer renewed. */
const MAX_DURATION_MS = 30 * 60_000;

/** Renews the leases of reservations that are not settled yet. */
export class LeaseRenewal {
  readonly #clock: Clock;
  readonly #renew: (ids: readonly string[]) => void;
  /** Time of each reservation in Unix milliseconds, by id. */
  readonly #reservedAt = new Map<string, number>();
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, renew: (ids: readonly string[]) => void) {
    this.#clock = clock;
    this.#renew = renew;
  }

  add(id: string): void {
    this.#reservedAt.set(id, this.#clock.now());
    this.#schedule();
  }

  remove(id: string): void {
    this.#reservedAt.delete(id);
  }

  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #schedule(): void {
    this.#cancelTimer ??= this.#clock.setTimer(RENEW_EVERY_MS, () => {
      this.#cancelTimer = undefined;
      const oldest = this.#clock.now() - MAX_DURATION_MS;
      for (const [id, reservedAt] of this.#reservedAt) if (reservedAt < oldest) this.#reservedAt.delete(id);
      if (this.#reservedAt.size === 0) return;
      this.#renew([...this.#reservedAt.keys()]);
      this.#schedule();
    });
  }
}
