import type { Clock } from '../../lib/clock.ts';
import { toUsageRow, type UsageEntry, type UsageRecorder } from '../accounts/index.ts';
import type { ExpectedCost, ExpectedSpending, ExpectedUse, Limits, Reservation } from '../limits/index.ts';
import { type ForwardedFields, findPaidField, type ModelPrice } from '../models/index.ts';
import type { FindPrice } from './cost.ts';
import type { FindPrices } from './cost-bounds.ts';
import type { Requester } from './requester.ts';

/** Dependencies for limits and the recording of usage. */
export interface MeteringDeps {
  readonly usage: Pick<UsageRecorder, 'record'>;
  readonly clock: Clock;
  /** Unset: no limits. */
  readonly limits?: Limits | undefined;
  /** Returns the price of a provider's model. Unset: costs are not recorded. */
  readonly findPrice?: FindPrice | undefined;
  /** Returns the prices of a public model name. Unset: no model has a price for budgets. */
  readonly findPrices?: FindPrices | undefined;
  /** Returns whether the operator has declared a field of requests for a public model name to be free. Default none. */
  readonly isFreeField?: ((model: string, field: string) => boolean) | undefined;
}

/** Returns the first field of a request that its hosts may charge for beside the price of the model. */
export function findPaidFieldOf(
  { isFreeField }: Pick<MeteringDeps, 'isFreeField'>,
  request: ForwardedFields & { readonly model: string },
): string | undefined {
  return findPaidField(request, (field) => isFreeField?.(request.model, field) ?? false);
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

/**
 * Reserves the expected usage of a generation.
 * @returns undefined without `limits`.
 * @throws LimitExceededError; ModelPriceUnknownError; database errors.
 */
export async function reserveFor(
  limits: Limits | undefined,
  requester: Requester,
  expected: ExpectedUse,
): Promise<Reservation | undefined> {
  const reservation = await limits?.reserve(requester, expected);
  if (reservation?.quotas) requester.onAdmitted?.(reservation.quotas);
  return reservation;
}

/** Usage of a request whose outcome is not known, because its process ended. */
export interface UnknownUse {
  readonly kind: UsageEntry['kind'];
  /** Public name of the model. */
  readonly model: string;
  /** Returns the bounds of the cost; undefined if a price is not known. */
  readonly cost: () => ExpectedCost | undefined;
  /** Returns a field of the request that a host may charge for, as `findPaidField`. Default none. */
  readonly findPaidField?: (() => string | undefined) | undefined;
}

/** Returns the cost to reserve, and the row for the usage ledger in case the process ends before the request. */
export function toSpending(requester: Requester, use: UnknownUse): ExpectedSpending {
  const { model, cost, findPaidField } = use;
  return { model, cost, findPaidField, usage: () => toUsageRow(toUnknownEntry(requester, use), 0) };
}

function toUnknownEntry(requester: Requester, { kind, model }: Pick<UnknownUse, 'kind' | 'model'>): UsageEntry {
  const { userId, keyId, chatId } = requester;
  return {
    ...{ userId, keyId, chatId, kind, model, replyId: requester.replyId, provider: 'unknown' },
    ...{ promptTokens: 0, completionTokens: 0, imageCount: 0, isEstimated: true, finishReason: undefined },
    durationMs: 0,
  };
}

/**
 * Records a request whose client has left before the answer, and settles its reservation. Under a budget it counts with
 * what was reserved, because the host may have charged for it.
 */
export function recordLeft(
  usage: MeteringDeps['usage'],
  reservation: Reservation | undefined,
  requester: Requester,
  use: Pick<UnknownUse, 'kind' | 'model'>,
): void {
  if (reservation?.unknownCostUsd === undefined) return;
  const entry = { ...toUnknownEntry(requester, use), finishReason: 'stopped' };
  recordAndSettle(usage, reservation, entry, { tokens: 0, images: 0 });
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
