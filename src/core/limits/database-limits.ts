import { randomUUID } from 'node:crypto';
import type { Database } from '../../database/connect.ts';
import { LeaseRenewal } from '../../lib/async/lease-renewal.ts';
import type { Clock } from '../../lib/clock.ts';
import { MAX_DOLLARS, toNineDecimals } from '../../lib/dollars.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { type BudgetAmounts, hasBudget, type InstanceBudget, pickAmounts } from './budget-amounts.ts';
import { type BudgetUse, listBudgetUses } from './budget-uses.ts';
import type { Quotas } from './limit-exceeded-error.ts';
import { LEASE_MS, readSpent, readUse, renewReservations } from './limit-statements.ts';
import { startSweep } from './limit-sweep.ts';
import {
  hasLimits,
  type LimitedRequester,
  type LimitedScope,
  listScopes,
  NO_LIMITS,
  toPlan,
} from './limited-scopes.ts';
import type { ExpectedCost, ExpectedUse, Limits, OwnBudget, Reservation } from './limits.ts';
import type { Plan, Plans } from './plans.ts';
import { toQuotas, toRefusal, toResetTime } from './quotas.ts';
import { type PendingSettlement, ReservationBatcher } from './reservation-batcher.ts';
import { createStoredBudgets, type ReadStoredBudgets } from './stored-budgets.ts';

export interface LimitsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Read on every request, so that a reloaded configuration takes effect. */
  readonly plans: Plans;
  /** Budget of the whole instance, read in the same way. Default none. */
  readonly budget?: InstanceBudget | undefined;
  /** Returns the name of a user's plan. */
  readonly findPlan: (userId: number) => Promise<string>;
  /** Called after each settlement and refusal with the budgets that it concerns. Default: not called. */
  readonly onBudgetUse?: ((uses: readonly BudgetUse[]) => void) | undefined;
}

const RENEWAL = { everyMs: LEASE_MS / 3, maxDurationMs: 30 * 60_000 };
/** Largest amount of one request. */
const MAX_AMOUNT = 2_147_483_647;
/** Reserved for a request whose cost is not known, if its plan allows it: a budget that is used up refuses it. */
const UNKNOWN_COST: ExpectedCost = { leastUsd: 0.000000001, mostUsd: 0.000000001 };
const UNLIMITED: Reservation = { quotas: undefined, settle() {} };

export function createLimits(deps: LimitsDeps): Limits {
  return new DatabaseLimits(deps);
}

class DatabaseLimits implements Limits {
  readonly #deps: LimitsDeps;
  readonly #batcher: ReservationBatcher;
  readonly #renewal: LeaseRenewal;
  readonly #readStoredBudgets: ReadStoredBudgets;
  readonly #cancelSweep: () => void;

  constructor(deps: LimitsDeps) {
    this.#deps = deps;
    this.#batcher = new ReservationBatcher(deps);
    this.#renewal = new LeaseRenewal(deps.clock, { ...RENEWAL, renew: (ids) => this.#renew(ids) });
    this.#readStoredBudgets = createStoredBudgets(deps);
    this.#cancelSweep = startSweep(deps, this.#batcher);
  }

  get planNames(): readonly string[] {
    return Object.keys(this.#deps.plans);
  }

  async reserve(requester: LimitedRequester, expected: ExpectedUse): Promise<Reservation> {
    const scopes = await this.#findScopes(requester);
    if (scopes.length === 0) return UNLIMITED;
    const countsTokens = scopes.some(({ limits }) => limits.tokens !== undefined);
    const amounts = {
      tokens: countsTokens ? toAmount(expected.tokens()) : 0,
      more: countsTokens ? toAmount(expected.moreTokens) : 0,
      images: toAmount(expected.images),
    };
    const spending = toDollars(scopes, expected);
    const id = randomUUID();
    const { usd, mostUsd, usage } = spending ?? {};
    const request = { id, ...amounts, usd, mostUsd, usage, scopes: scopes.map(({ limits }) => limits) };
    const { uses, grantedUsd } = await this.#batcher.reserve(request);
    const checked = scopes.map(({ scope, limits }) => ({ scope, limits, use: uses[limits.scope] }));
    const now = this.#deps.clock.now();
    const refusal = toRefusal(checked, now);
    if (refusal) {
      if (refusal.kind === 'dollars') this.#deps.onBudgetUse?.(listBudgetUses(scopes, requester.userId, uses));
      throw refusal;
    }
    this.#renewal.add(id);
    const granted = spending ? (grantedUsd ?? 0) : undefined;
    let isSettled = false;
    return {
      quotas: toQuotas(checked, { ...amounts, usd: granted ?? 0 }, now),
      grantedUsd: granted,
      unknownCostUsd: spending?.isPriced ? granted : undefined,
      settle: ({ tokens, images, costUsd = 0, usage }) => {
        if (isSettled) return;
        isSettled = true;
        this.#renewal.remove(id);
        const real = { id, tokens: toAmount(tokens), images: toAmount(images) };
        if (granted === undefined) return this.#batcher.settle(real);
        const onWritten: PendingSettlement['onWritten'] = (spent) =>
          this.#deps.onBudgetUse?.(listBudgetUses(scopes, requester.userId, spent));
        this.#batcher.settle({ ...real, usd: toUsd(costUsd), usage, onWritten });
      },
    };
  }

  async readQuotas({ userId, plan }: Pick<LimitedRequester, 'userId' | 'plan'>): Promise<Quotas | undefined> {
    const { db, clock } = this.#deps;
    const scopes = (await this.#findScopes({ userId, plan })).filter(({ scope }) => scope !== 'instance');
    if (scopes.length === 0) return undefined;
    await this.#batcher.flush();
    const now = clock.now();
    const used = await Promise.all(
      scopes.map(async ({ scope, limits }) => ({ scope, limits, use: await readUse(db, limits.scope, now) })),
    );
    return toQuotas(used, undefined, now);
  }

  async readKeyBudget(requester: Pick<LimitedRequester, 'userId' | 'plan'>): Promise<BudgetAmounts> {
    return pickAmounts((await this.#findPlan(requester)).key);
  }

  async readBudgets({ userId, plan }: Pick<LimitedRequester, 'userId' | 'plan'>): Promise<readonly OwnBudget[]> {
    const { db, clock } = this.#deps;
    const scopes = (await this.#findScopes({ userId, plan })).filter(({ scope }) => scope === 'user');
    await this.#batcher.flush();
    const now = clock.now();
    const budgeted = scopes.filter(({ limits }) => hasBudget(limits)).map(({ limits }) => limits.scope);
    const spent = budgeted.length > 0 ? await readSpent(db, budgeted, now) : {};
    const uses = listBudgetUses(scopes, userId, spent);
    return uses.map(({ period, limitUsd, spentUsd }) => {
      return { period, limitUsd, spentUsd, resetsAt: toResetTime(period, now) };
    });
  }

  flush(): Promise<void> {
    return this.#batcher.flush();
  }

  async close(): Promise<void> {
    this.#renewal.close();
    this.#cancelSweep();
    await this.#batcher.close();
  }

  async #findScopes(requester: LimitedRequester): Promise<LimitedScope[]> {
    const { budget } = this.#deps;
    const [storedBudgets, plan] = await Promise.all([this.#readStoredBudgets(), this.#findPlan(requester)]);
    return listScopes({ plan, budget, storedBudgets }, requester);
  }

  async #findPlan({ userId, plan, isUnlimited }: LimitedRequester): Promise<Plan> {
    const { plans, findPlan } = this.#deps;
    if (isUnlimited || !hasLimits(plans)) return NO_LIMITS;
    return toPlan(plans, plan ?? (await findPlan(userId)));
  }

  #renew(ids: readonly string[]): void {
    const { db, clock, logger } = this.#deps;
    renewReservations(db, ids, clock.now()).catch((error: unknown) =>
      logger.warn({ reason: describeError(error) }, 'reservations could not be renewed'),
    );
  }
}

/**
 * Returns the dollars to reserve; undefined if no budget applies.
 * @throws ModelPriceUnknownError
 */
function toDollars(scopes: readonly LimitedScope[], { spending }: ExpectedUse) {
  const budgeted = scopes.filter(({ limits }) => hasBudget(limits));
  if (budgeted.length === 0) return undefined;
  if (!spending) return { usd: 0, mostUsd: 0, usage: undefined, isPriced: false };
  const cost = spending.cost();
  if (budgeted.some(({ refusesUnpriced }) => refusesUnpriced)) {
    const field = spending.findPaidField?.();
    if (!cost || field !== undefined) throw new ModelPriceUnknownError(spending.model, field);
  }
  const { leastUsd, mostUsd } = cost ?? UNKNOWN_COST;
  return { usd: toUsd(leastUsd), mostUsd: toUsd(mostUsd), usage: spending.usage(), isPriced: cost !== undefined };
}

/** Rounds and clamps a cost. NaN becomes the maximum: a smaller amount would bypass the budget. */
function toUsd(value: number): number {
  return Number.isNaN(value) ? MAX_DOLLARS : toNineDecimals(Math.max(value, 0));
}

/** Clamps to an integer from 0 to `MAX_AMOUNT`. NaN becomes the maximum: a smaller amount would bypass the limit. */
function toAmount(value: number): number {
  return Number.isNaN(value) ? MAX_AMOUNT : Math.ceil(Math.min(Math.max(value, 0), MAX_AMOUNT));
}

/**
 * Thrown before a request starts because a budget applies, and the price of its model is not known, or what a field of
 * the request costs.
 */
export class ModelPriceUnknownError extends Error {
  override readonly name = 'ModelPriceUnknownError';
  /** Public name of the model. */
  readonly model: string;
  /** Field of the request that a host may charge for; undefined if the price of the model is unknown. */
  readonly field: string | undefined;

  constructor(model: string, field?: string | undefined) {
    super(
      field === undefined
        ? `The model '${model}' can't be used under a budget: its price is not known.`
        : `'${field}' can't be used under a budget: what it costs is not known.`,
    );
    this.model = model;
    this.field = field;
  }
}
