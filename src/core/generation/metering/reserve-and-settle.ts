import type { Clock } from '../../../lib/clock.ts';
import { toUsageRow, type UsageEntry, type UsageRecorder } from '../../accounts/index.ts';
import type { ExpectedCost, ExpectedUse, Limits, Reservation } from '../../limits/index.ts';
import { type ForwardedFields, findPaidField, type ModelPrice } from '../../models/index.ts';
import type { Requester } from '../requester.ts';
import type { FindPrice } from './cost.ts';
import type { FindPrices } from './cost-bounds.ts';

/** Dependencies for limits and the recording of usage. */
export interface MeteringDeps {
  readonly usage: Pick<UsageRecorder, 'record'>;
  readonly clock: Clock;
  /** Unset: no limits. */
  readonly limits?: Pick<Limits, 'reserve'> | undefined;
  /** Returns the price of a provider's model. Unset: costs are not recorded. */
  readonly findPrice?: FindPrice | undefined;
  /** Returns the prices of a public model name. Unset: no model has a price for budgets. */
  readonly findPrices?: FindPrices | undefined;
  /** Returns whether the operator has declared a field of requests for a public model name to be free. Default none. */
  readonly isFreeField?: ((model: string, field: string) => boolean) | undefined;
}

/**
 * Returns the price of the model that has answered a request; undefined if it is not known, or if hosts may charge more
 * for the request. Without a price, the fields of the request are not read.
 */
export function findPriceOf(
  deps: Pick<MeteringDeps, 'findPrice' | 'isFreeField'>,
  request: ForwardedFields & { readonly model: string },
  { provider, model }: { readonly provider: string; readonly model: string },
): ModelPrice | undefined {
  const price = deps.findPrice?.(provider, model);
  return price && findPaidFieldOf(deps, request) === undefined ? price : undefined;
}

/** Returns the first field of a request that its hosts may charge for beside the price of the model. */
function findPaidFieldOf(
  { isFreeField }: Pick<MeteringDeps, 'isFreeField'>,
  request: ForwardedFields & { readonly model: string },
): string | undefined {
  return findPaidField(request, (field) => isFreeField?.(request.model, field) ?? false);
}

/**
 * Reserves the expected usage of a generation.
 * @returns undefined without `limits`.
 * @throws LimitExceededError; ModelPriceUnknownError; database errors.
 */
export async function reserveFor(
  limits: MeteringDeps['limits'],
  requester: Requester,
  expected: ExpectedUse,
): Promise<Reservation | undefined> {
  const reservation = await limits?.reserve(requester, expected);
  if (reservation?.quotas) requester.onAdmitted?.(reservation.quotas);
  return reservation;
}

/** A request whose usage is reserved, recorded and settled. */
interface MeteredUse extends Pick<ExpectedUse, 'tokens' | 'moreTokens' | 'images'> {
  readonly kind: UsageEntry['kind'];
  /** The public name of its model, and what the client has sent with it. */
  readonly request: ForwardedFields & { readonly model: string };
  /** Returns the bounds of the cost; undefined if a price is not known. */
  readonly cost: () => ExpectedCost | undefined;
}

/** Fields of a row of the usage ledger that are known with the answer. */
type Answered = Omit<UsageEntry, 'userId' | 'keyId' | 'chatId' | 'kind' | 'durationMs'>;

export type MeteredRequest = Awaited<ReturnType<typeof reserveRequest>>;

const NOTHING = { tokens: 0, images: 0 };

/**
 * Reserves the expected usage of a request. It must be settled in the end: by `run`, or by `settle`.
 * @throws LimitExceededError; ModelPriceUnknownError; database errors.
 */
export async function reserveRequest(deps: MeteringDeps, requester: Requester, use: MeteredUse) {
  const { usage, clock, limits } = deps;
  const { kind, request, cost, ...expected } = use;
  const { model } = request;
  const toUnknown = () => toUnknownEntry(requester, { kind, model });
  const findPaidField = () => findPaidFieldOf(deps, request);
  const spending = { model, cost, findPaidField, usage: () => toUsageRow(toUnknown(), 0) };
  const reservation = await reserveFor(limits, requester, { ...expected, spending });
  let startedAt = clock.now();
  const settle = () => reservation?.settle(NOTHING);
  /**
   * Records a request whose client has left before the answer. Under a budget it counts with what was reserved, because
   * the host may have charged for it.
   */
  const recordLeft = () => {
    if (reservation?.unknownCostUsd === undefined) return;
    recordAndSettle(usage, reservation, { ...toUnknown(), finishReason: 'stopped' }, NOTHING);
  };
  return {
    reservation,
    /** Starts the time of the work again, after a time of waiting. */
    restart(): void {
      startedAt = clock.now();
    },
    /** Records the usage and settles the reservation. Call it once at most. @returns the entry of the ledger. */
    record(answered: Answered, used: { readonly tokens: number; readonly images: number } = NOTHING): UsageEntry {
      const { userId, keyId, chatId } = requester;
      const durationMs = Math.round(clock.now() - startedAt);
      const entry = { userId, keyId, chatId, kind, ...answered, durationMs };
      recordAndSettle(usage, reservation, entry, used);
      return entry;
    },
    recordLeft,
    /** Releases the reservation if it is not settled. */
    settle,
    /** Runs work that records its usage itself. Records it also if the client leaves, and settles in any case. */
    async run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
      try {
        return await work();
      } catch (error) {
        if (signal.aborted && error === signal.reason) recordLeft();
        throw error;
      } finally {
        settle();
      }
    },
  };
}

/** Returns the row for the usage ledger of a request whose outcome is not known, because its process or client ended. */
function toUnknownEntry(
  requester: Requester,
  { kind, model }: { readonly kind: UsageEntry['kind']; readonly model: string },
): UsageEntry {
  const { userId, keyId, chatId } = requester;
  return {
    userId,
    keyId,
    chatId,
    kind,
    model,
    replyId: requester.replyId,
    provider: 'unknown',
    promptTokens: 0,
    completionTokens: 0,
    imageCount: 0,
    isEstimated: true,
    finishReason: undefined,
    durationMs: 0,
  };
}

/**
 * Records the usage of a request and settles its reservation. Under a budget one statement does both, so that the
 * ledger has exactly what is counted. A cost that is not known, such as that of a model whose price has been removed
 * meanwhile, is what was reserved.
 */
export function recordAndSettle(
  usage: MeteringDeps['usage'],
  reservation: Reservation | undefined,
  given: UsageEntry,
  used: { readonly tokens: number; readonly images: number },
): void {
  const entry = { ...given, costUsd: given.costUsd ?? reservation?.unknownCostUsd };
  if (reservation?.grantedUsd === undefined) {
    usage.record(entry);
    reservation?.settle(used);
  } else usage.record(entry, (row) => reservation.settle({ ...used, costUsd: entry.costUsd, usage: row }));
}
