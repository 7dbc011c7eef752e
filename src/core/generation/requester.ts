import { toUsageRow, type UsageEntry, type UsageRecorder } from '../accounts/index.ts';
import type { ExpectedCost, ExpectedSpending, LimitedRequester, Limits, Quotas, Reservation } from '../limits/index.ts';

/** The user and key that a generation is accounted to, and the ids that limits apply to. */
export interface Requester extends LimitedRequester {
  /** Id of the API key; undefined in the bot. */
  readonly keyId: number | undefined;
  /** Patterns of the models that the API key may use. Default: all. */
  readonly allowedModels?: readonly string[] | undefined;
  /** Id of the answer for the client, by which feedback names it. Default: the id that the provider reports. */
  readonly replyId?: string | undefined;
  /** Called with the remaining quotas before the generation starts; not called if nothing is limited. */
  readonly onAdmitted?: ((quotas: Quotas) => void) | undefined;
}

/**
 * Reserves the expected usage of a generation.
 * @returns undefined if nothing is limited.
 * @throws LimitExceededError
 */
export async function reserveFor(
  limits: Limits | undefined,
  requester: Requester,
  expected: Parameters<Limits['reserve']>[1],
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
}

export function toSpending(requester: Requester, { kind, model, cost }: UnknownUse): ExpectedSpending {
  const { userId, keyId, chatId } = requester;
  const entry: UsageEntry = {
    ...{ userId, keyId, chatId, kind, model, replyId: requester.replyId, provider: 'unknown' },
    ...{ promptTokens: 0, completionTokens: 0, imageCount: 0, isEstimated: true, finishReason: undefined },
    durationMs: 0,
  };
  return { model, cost, usage: () => toUsageRow(entry, 0) };
}

/**
 * Records the usage of a request and settles its reservation. Under a budget one statement does both, so that the
 * ledger has exactly what is counted. A cost that is not known, such as that of a model whose price has been removed
 * meanwhile, is what was reserved.
 */
export function recordAndSettle(
  usage: Pick<UsageRecorder, 'record'>,
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
