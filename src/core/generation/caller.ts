import type { Budgets, LimitedCaller, Limits, Reservation } from '../limits/index.ts';

/** On whose account a generation goes, and what limits may count. */
export interface Caller extends LimitedCaller {
  /** The API key used; undefined in the bot. */
  readonly keyId: number | undefined;
  /** Work that nobody has asked for: it stands in the books, and takes nothing from what people may use. */
  readonly isUnlimited?: boolean | undefined;
  /** Called with what is left of the limits before the generation begins; not called where nothing is limited. */
  readonly onAdmitted?: ((budgets: Budgets) => void) | undefined;
}

/**
 * Reserves what a generation will probably use.
 * @returns undefined where nothing is limited.
 * @throws LimitExceededError
 */
export async function reserveFor(
  limits: Limits | undefined,
  caller: Caller,
  expected: Parameters<Limits['reserve']>[1],
): Promise<Reservation | undefined> {
  if (caller.isUnlimited) return undefined;
  const reservation = await limits?.reserve(caller, expected);
  if (reservation?.budgets) caller.onAdmitted?.(reservation.budgets);
  return reservation;
}
