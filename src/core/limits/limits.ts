import type { Database } from '../../database/connect.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
import { createId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import { toBudgets, toRefusal } from './budgets.ts';
import { LeaseRenewal } from './lease-renewal.ts';
import type { Budgets } from './limit-exceeded-error.ts';
import { readUse, removeOldRows, renewHolds } from './limit-statements.ts';
import { hasLimits, type LimitedCaller, listScopes, toPlan } from './limited-scopes.ts';
import type { Plan, Plans } from './plans.ts';
import { ReservationBatcher } from './reservation-batcher.ts';

/** What a request will probably use. */
export interface ExpectedUse {
  /** So many tokens must be left; only called where tokens are limited. */
  readonly tokens: () => number;
  /** Reserved beyond these, as far as they are left, until it is known how many are used. */
  readonly moreTokens: number;
  readonly pictures: number;
}

/** What it has used. */
export interface RealUse {
  readonly tokens: number;
  readonly pictures: number;
}

export interface Reservation {
  /** What is left with this reservation made; undefined where nothing is limited. */
  readonly budgets: Budgets | undefined;
  /** Books what was used and gives back the rest. Must be called at the end of the request, however it ended; only the first call counts. */
  settle(use: RealUse): void;
}

/** Limits that are exact over all processes on one database. Where a plan has none, no statement is sent. */
export interface Limits {
  /** Names of all plans. */
  readonly planNames: readonly string[];
  /**
   * Reserves in all scopes of the caller, or in none.
   * @throws LimitExceededError; what the database throws.
   */
  reserve(caller: LimitedCaller, expected: ExpectedUse): Promise<Reservation>;
  /** What is left of the user's own limits; undefined where there are none. */
  look(caller: Pick<LimitedCaller, 'userId' | 'plan'>): Promise<Budgets | undefined>;
  /** Writes what is settled. Nothing is reserved after. */
  close(): Promise<void>;
}

export interface LimitsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Read with every request: it may be replaced. */
  readonly plans: Plans;
  /** Name of a user's plan. */
  readonly findPlan: (userId: number) => Promise<string>;
}

const SWEEP_EVERY_MS = 3_600_000;
/** The largest amount of one request. */
const MAX_AMOUNT = 2_147_483_647;
const UNLIMITED: Reservation = { budgets: undefined, settle() {} };

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
    this.#renewal = new LeaseRenewal(deps.clock, (ids) => this.#renew(ids));
    this.#scheduleSweep();
  }

  get planNames(): readonly string[] {
    return Object.keys(this.#deps.plans);
  }

  async reserve(caller: LimitedCaller, expected: ExpectedUse): Promise<Reservation> {
    if (!hasLimits(this.#deps.plans)) return UNLIMITED;
    const scopes = listScopes(await this.#findPlan(caller), caller);
    if (scopes.length === 0) return UNLIMITED;
    const countsTokens = scopes.some(({ limits }) => limits.tokens !== undefined);
    const wanted = {
      tokens: countsTokens ? toAmount(expected.tokens()) : 0,
      more: countsTokens ? toAmount(expected.moreTokens) : 0,
      pictures: toAmount(expected.pictures),
    };
    const id = createId('');
    const uses = await this.#batcher.reserve({ id, ...wanted, scopes: scopes.map(({ limits }) => limits) });
    const checked = scopes.map(({ scope, limits }) => ({ scope, limits, use: uses[limits.scope] }));
    const now = this.#deps.clock.now();
    const refusal = toRefusal(checked, now);
    if (refusal) throw refusal;
    this.#renewal.add(id);
    let isSettled = false;
    return {
      budgets: toBudgets(checked, wanted, now),
      settle: ({ tokens, pictures }) => {
        if (isSettled) return;
        isSettled = true;
        this.#renewal.remove(id);
        this.#batcher.settle({ id, tokens: toAmount(tokens), pictures: toAmount(pictures) });
      },
    };
  }

  async look(caller: Pick<LimitedCaller, 'userId' | 'plan'>): Promise<Budgets | undefined> {
    const { plans, db, clock } = this.#deps;
    if (!hasLimits(plans)) return undefined;
    const scopes = listScopes(await this.#findPlan(caller), { userId: caller.userId });
    if (scopes.length === 0) return undefined;
    await this.#batcher.flush();
    const now = clock.now();
    const used = await Promise.all(
      scopes.map(async ({ scope, limits }) => ({ scope, limits, use: await readUse(db, limits.scope, now) })),
    );
    return toBudgets(used, undefined, now);
  }

  async close(): Promise<void> {
    this.#renewal.close();
    this.#cancelSweep();
    await this.#batcher.close();
  }

  async #findPlan({ userId, plan }: Pick<LimitedCaller, 'userId' | 'plan'>): Promise<Plan> {
    return toPlan(this.#deps.plans, plan ?? (await this.#deps.findPlan(userId)));
  }

  #renew(ids: readonly string[]): void {
    const { db, clock, logger } = this.#deps;
    renewHolds(db, ids, clock.now()).catch((error: unknown) =>
      logger.warn({ reason: describeError(error) }, 'reservations could not be renewed'),
    );
  }

  #scheduleSweep(): void {
    const { db, clock, logger } = this.#deps;
    this.#cancelSweep = clock.setTimer(SWEEP_EVERY_MS, () => {
      removeOldRows(db, clock.now()).catch((error: unknown) =>
        logger.warn({ reason: describeError(error) }, 'old counts of limits could not be removed'),
      );
      this.#scheduleSweep();
    });
  }
}

/** Clamps to a whole amount from 0. NaN counts as the largest: less would give away what is left. */
function toAmount(value: number): number {
  return Number.isNaN(value) ? MAX_AMOUNT : Math.ceil(Math.min(Math.max(value, 0), MAX_AMOUNT));
}
