import type { Database } from '../../database/connect.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
import { createId } from '../../lib/ids.ts';
import { LeaseRenewal } from '../../lib/lease-renewal.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Quotas } from './limit-exceeded-error.ts';
import { LEASE_MS, readUse, removeOldRows, renewReservations } from './limit-statements.ts';
import { hasLimits, isLimited, type LimitedRequester, listScopes, toPlan } from './limited-scopes.ts';
import type { Plan, Plans } from './plans.ts';
import { toQuotas, toRefusal } from './quotas.ts';
import { ReservationBatcher } from './reservation-batcher.ts';

/** Expected usage of a request. */
export interface ExpectedUse {
  /** Returns the tokens that must be available. Only called if tokens are limited. */
  readonly tokens: () => number;
  /** Tokens reserved in addition, as far as available, until the actual usage is known. */
  readonly moreTokens: number;
  readonly images: number;
}

/** Actual usage of a request. */
export interface RealUse {
  readonly tokens: number;
  readonly images: number;
}

export interface Reservation {
  /** Remaining quotas after this reservation; undefined if nothing is limited. */
  readonly quotas: Quotas | undefined;
  /**
   * Records the actual usage and releases the rest of the reservation. Must be called once the request has ended,
   * whether it succeeded or not; only the first call has an effect.
   */
  settle(use: RealUse): void;
}

/** Limits that are exact across all processes on one database. Plans without limits cost no statement. */
export interface Limits {
  readonly planNames: readonly string[];
  /**
   * Reserves quota in all limited scopes of the caller, or in none.
   * @throws LimitExceededError if a limit is reached; database errors.
   */
  reserve(requester: LimitedRequester, expected: ExpectedUse): Promise<Reservation>;
  /** Returns the remaining quotas of the user's own limits; undefined if there are none. */
  readQuotas(requester: Pick<LimitedRequester, 'userId' | 'plan'>): Promise<Quotas | undefined>;
  /** Writes pending settlements. No reservation may follow. */
  close(): Promise<void>;
}

export interface LimitsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Read on every request, so that a reloaded configuration takes effect. */
  readonly plans: Plans;
  /** Returns the name of a user's plan. */
  readonly findPlan: (userId: number) => Promise<string>;
}

const SWEEP_EVERY_MS = 3_600_000;
const RENEWAL = { everyMs: LEASE_MS / 3, maxDurationMs: 30 * 60_000 };
/** Largest amount of one request. */
const MAX_AMOUNT = 2_147_483_647;
const UNLIMITED: Reservation = { quotas: undefined, settle() {} };

export function createLimits(deps: LimitsDeps): Limits {
  return new DatabaseLimits(deps);
}

class DatabaseLimits implements Limits {
  readonly #deps: LimitsDeps;
  readonly #batcher: ReservationBatcher;
  readonly #renewal: LeaseRenewal;
  #cancelSweep: () => void = () => {};

  constructor(deps: LimitsDeps) {
    this.#deps = deps;
    this.#batcher = new ReservationBatcher(deps);
    this.#renewal = new LeaseRenewal(deps.clock, { ...RENEWAL, renew: (ids) => this.#renew(ids) });
    this.#scheduleSweep();
  }

  get planNames(): readonly string[] {
    return Object.keys(this.#deps.plans);
  }

  async reserve(requester: LimitedRequester, expected: ExpectedUse): Promise<Reservation> {
    if (!hasLimits(this.#deps.plans) && !isLimited(requester.keyLimits)) return UNLIMITED;
    const scopes = listScopes(await this.#findPlan(requester), requester);
    if (scopes.length === 0) return UNLIMITED;
    const countsTokens = scopes.some(({ limits }) => limits.tokens !== undefined);
    const amounts = {
      tokens: countsTokens ? toAmount(expected.tokens()) : 0,
      more: countsTokens ? toAmount(expected.moreTokens) : 0,
      pictures: toAmount(expected.images),
    };
    const id = createId('');
    const uses = await this.#batcher.reserve({ id, ...amounts, scopes: scopes.map(({ limits }) => limits) });
    const checked = scopes.map(({ scope, limits }) => ({ scope, limits, use: uses[limits.scope] }));
    const now = this.#deps.clock.now();
    const refusal = toRefusal(checked, now);
    if (refusal) throw refusal;
    this.#renewal.add(id);
    let isSettled = false;
    return {
      quotas: toQuotas(checked, amounts, now),
      settle: ({ tokens, images }) => {
        if (isSettled) return;
        isSettled = true;
        this.#renewal.remove(id);
        this.#batcher.settle({ id, tokens: toAmount(tokens), pictures: toAmount(images) });
      },
    };
  }

  async readQuotas(requester: Pick<LimitedRequester, 'userId' | 'plan'>): Promise<Quotas | undefined> {
    const { plans, db, clock } = this.#deps;
    if (!hasLimits(plans)) return undefined;
    const scopes = listScopes(await this.#findPlan(requester), { userId: requester.userId });
    if (scopes.length === 0) return undefined;
    await this.#batcher.flush();
    const now = clock.now();
    const used = await Promise.all(
      scopes.map(async ({ scope, limits }) => ({ scope, limits, use: await readUse(db, limits.scope, now) })),
    );
    return toQuotas(used, undefined, now);
  }

  async close(): Promise<void> {
    this.#renewal.close();
    this.#cancelSweep();
    await this.#batcher.close();
  }

  async #findPlan({ userId, plan }: Pick<LimitedRequester, 'userId' | 'plan'>): Promise<Plan> {
    return toPlan(this.#deps.plans, plan ?? (await this.#deps.findPlan(userId)));
  }

  #renew(ids: readonly string[]): void {
    const { db, clock, logger } = this.#deps;
    renewReservations(db, ids, clock.now()).catch((error: unknown) =>
      logger.warn({ reason: describeError(error) }, 'reservations could not be renewed'),
    );
  }

  #scheduleSweep(): void {
    const { db, clock, logger } = this.#deps;
    this.#cancelSweep = clock.setTimer(SWEEP_EVERY_MS, () => {
      removeOldRows(db, clock.now()).catch((error: unknown) =>
        logger.warn({ reason: describeError(error) }, 'old limit counters could not be removed'),
      );
      this.#scheduleSweep();
    });
  }
}

/** Clamps to an integer from 0 to `MAX_AMOUNT`. NaN becomes the maximum: a smaller amount would bypass the limit. */
function toAmount(value: number): number {
  return Number.isNaN(value) ? MAX_AMOUNT : Math.ceil(Math.min(Math.max(value, 0), MAX_AMOUNT));
}
