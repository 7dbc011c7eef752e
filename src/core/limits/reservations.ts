import type { BudgetAmounts, SpentAmounts } from './budget-amounts.ts';

/** A scope and the limits that a reservation must satisfy. */
export interface ScopeLimits extends BudgetAmounts {
  readonly scope: string;
  /** Per minute. */
  readonly requests?: number | undefined;
  /** Per day. */
  readonly tokens?: number | undefined;
  readonly images?: number | undefined;
  /** In flight. */
  readonly atOnce?: number | undefined;
}

export interface ReservationRequest {
  /** Idempotency key: a repeated request with the same id reserves nothing more. */
  readonly id: string;
  /** Tokens that must be available. */
  readonly tokens: number;
  /** Tokens reserved in addition, as far as available. */
  readonly more: number;
  readonly images: number;
  /** US dollars that must be available; undefined if no scope has a budget. */
  readonly usd?: number | undefined;
  /** US dollars that are reserved as far as they are available. */
  readonly mostUsd?: number | undefined;
  /** Row of the usage ledger in case the process ends without settling. */
  readonly usage?: UsageRow | undefined;
  readonly scopes: readonly ScopeLimits[];
}

/** A row of the usage ledger by column names. */
export type UsageRow = Readonly<Record<string, unknown>>;

/** Actual usage of a request; it replaces the reservation. */
export interface Settlement {
  /** Id of the reservation. */
  readonly id: string;
  readonly tokens: number;
  readonly images: number;
  /** US dollars; counts in the scopes that had a budget when they reserved. */
  readonly usd?: number | undefined;
  /** Row of the usage ledger, written with the settlement. */
  readonly usage?: UsageRow | undefined;
}

/** Usage of a scope, reserved amounts included; dollars only of scopes with a budget. */
export interface ScopeUse extends Partial<SpentAmounts> {
  /** US dollars reserved by requests in flight; not included in the amounts spent. */
  readonly reservedUsd?: number | undefined;
  /** In the current minute. */
  readonly requests: number;
  /** Unix milliseconds. */
  readonly minuteBeganAt: number;
  /** On the current day. */
  readonly tokens: number;
  readonly images: number;
}

/** Usage of a scope before a reservation, and why the reservation was refused, if it was. */
export interface CheckedUse extends ScopeUse {
  /** `reserved…`: the limit is exceeded only because of amounts that requests in flight have reserved. */
  readonly refusal:
    | 'requests'
    | 'tokens'
    | 'images'
    | 'atOnce'
    | 'usdPerDay'
    | 'usdPerMonth'
    | 'usdTotal'
    | 'reservedTokens'
    | 'reservedImages'
    | 'reservedUsd'
    | null;
}

/** Result of a reservation. */
export interface CheckedReservation {
  /** Results by scope. If any of them has a refusal, nothing was reserved. */
  readonly uses: Readonly<Record<string, CheckedUse>>;
  /** US dollars reserved in each scope with a budget; meaningless without one. */
  readonly grantedUsd: number | null;
}

/** Results of the reservations in order, and what the settled scopes with a budget have spent. */
export interface WrittenReservations {
  readonly reservations: readonly CheckedReservation[];
  readonly spent: Readonly<Record<string, SpentAmounts>>;
}

/**
 * Applies the settlements, then the reservations in order, by one statement. Settling the same id again has no effect.
 */
export type WriteReservations = (
  settlements: readonly Settlement[],
  reservations: readonly ReservationRequest[],
  nowMs: number,
) => Promise<WrittenReservations>;
