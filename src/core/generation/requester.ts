import type { LimitedRequester, Limits, Quotas, Reservation } from '../limits/index.ts';

/** The user and key that a generation is accounted to, and the ids that limits apply to. */
export interface Requester extends LimitedRequester {
  /** Id of the API key; undefined in the bot. */
  readonly keyId: number | undefined;
  /** Patterns of the models that the API key may use. Default: all. */
  readonly allowedModels?: readonly string[] | undefined;
  /** Id of the answer for the client, by which feedback names it. Default: the id that the provider reports. */
  readonly replyId?: string | undefined;
  /** Work that the service does by itself: usage is recorded, and no limits apply. */
  readonly isUnlimited?: boolean | undefined;
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
  if (requester.isUnlimited) return undefined;
  const reservation = await limits?.reserve(requester, expected);
  if (reservation?.quotas) requester.onAdmitted?.(reservation.quotas);
  return reservation;
}
