import { type Budget, LimitExceededError, type LimitKind, type LimitStanding } from './limit-exceeded-error.ts';
import type { ScopeLimits, ScopeStanding, TakeOrder } from './limit-orders.ts';
import type { LimitScope } from './plans.ts';

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
/** When to ask again where only work under way is in the way. */
const AT_ONCE_RETRY_MS = 1000;
const HELD_RETRY_MS = 5000;

/** What is used in a scope. */
export type ScopeUse = Omit<ScopeStanding, 'refusal' | 'spare'>;

/** A scope with its limits, and how it was found. */
export interface FoundScope<Found = ScopeUse> {
  readonly scope: LimitScope;
  readonly limits: ScopeLimits;
  readonly found: Found | undefined;
}

type Wish = Pick<TakeOrder, 'tokens' | 'more' | 'pictures'>;

/** The day of a moment, `2026-11-21`. Days are UTC's, for everybody. */
export function toUtcDay(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}

/** The refusal that lasts longest; undefined where there was room in every scope. */
export function toRefusal(scopes: readonly FoundScope<ScopeStanding>[], nowMs: number): LimitExceededError | undefined {
  if (scopes.every(({ found }) => !found?.refusal)) return undefined;
  const refusals = scopes.flatMap(({ scope, limits, found }) => {
    const refusal = found?.refusal;
    if (!found || !refusal) return [];
    const kind = KINDS[refusal];
    const isUsedUp = refusal === 'tokens' || refusal === 'pictures';
    const waits = {
      tokens: msToMidnight(nowMs),
      pictures: msToMidnight(nowMs),
      requests: msToNextMinute(found, nowMs),
      atOnce: AT_ONCE_RETRY_MS,
      heldTokens: HELD_RETRY_MS,
      heldPictures: HELD_RETRY_MS,
    };
    return [{ kind, scope, limit: limits[kind] ?? 0, retryAfterMs: waits[refusal], isUsedUp }];
  });
  const worst = refusals.sort((one, other) => other.retryAfterMs - one.retryAfterMs)[0];
  return worst && new LimitExceededError({ ...worst, standing: toStanding(scopes, undefined, nowMs) });
}

const KINDS = {
  tokens: 'tokens',
  pictures: 'pictures',
  requests: 'requests',
  atOnce: 'atOnce',
  heldTokens: 'tokens',
  heldPictures: 'pictures',
} as const satisfies Record<NonNullable<ScopeStanding['refusal']>, LimitKind>;

/**
 * What is left of the tightest limit of each kind.
 * @param taken what was set aside after the scopes were found as they are.
 */
export function toStanding(scopes: readonly FoundScope[], taken: Wish | undefined, nowMs: number): LimitStanding {
  let requests: Budget | undefined;
  let tokens: Budget | undefined;
  let pictures: Budget | undefined;
  for (const { limits, found } of scopes) {
    if (!found) continue;
    requests = toTighter(requests, limits.requests, found.requests + (taken ? 1 : 0), msToNextMinute(found, nowMs));
    tokens = toTighter(
      tokens,
      limits.tokens,
      found.tokens + (taken ? taken.tokens + taken.more : 0),
      msToMidnight(nowMs),
    );
    pictures = toTighter(pictures, limits.pictures, found.pictures + (taken?.pictures ?? 0), msToMidnight(nowMs));
  }
  return { requests, tokens, pictures };
}

/** The one with less left; the first of equals. */
function toTighter(
  known: Budget | undefined,
  limit: number | undefined,
  used: number,
  resetMs: number,
): Budget | undefined {
  if (limit === undefined) return known;
  const remaining = Math.max(0, limit - used);
  return known && known.remaining <= remaining ? known : { limit, remaining, resetMs };
}

function msToMidnight(nowMs: number): number {
  return DAY_MS - (nowMs % DAY_MS);
}

function msToNextMinute({ minuteBeganAt }: ScopeUse, nowMs: number): number {
  return Math.min(MINUTE_MS, Math.max(1, minuteBeganAt + MINUTE_MS - nowMs));
}
