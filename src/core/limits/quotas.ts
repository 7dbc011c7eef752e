import { LimitExceededError, type LimitKind, type Quota, type Quotas } from './limit-exceeded-error.ts';
import {
  type CheckedUse,
  DAY_MS,
  MINUTE_MS,
  type ReservationRequest,
  type ScopeLimits,
  type ScopeUse,
} from './limit-statements.ts';
import type { LimitScope } from './plans.ts';

/** Suggested retry time if only requests in flight exceed the limit. */
const AT_ONCE_RETRY_MS = 1000;
const HELD_RETRY_MS = 5000;

/** A limited scope and its current usage. */
export interface UsedScope<Use = ScopeUse> {
  readonly scope: LimitScope;
  readonly limits: ScopeLimits;
  readonly use: Use | undefined;
}

/** Returns the error of the refusal with the longest retry time; undefined if no scope refused. */
export function toRefusal(scopes: readonly UsedScope<CheckedUse>[], nowMs: number): LimitExceededError | undefined {
  if (scopes.every(({ use }) => !use?.refusal)) return undefined;
  const refusals = scopes.flatMap(({ scope, limits, use }) => {
    const refusal = use?.refusal;
    if (!use || !refusal) return [];
    const { kind, name } = REFUSED_LIMITS[refusal];
    const isUsedUp = refusal === 'tokens' || refusal === 'pictures';
    const waits = {
      tokens: msToMidnight(nowMs),
      pictures: msToMidnight(nowMs),
      requests: msToNextMinute(use, nowMs),
      atOnce: AT_ONCE_RETRY_MS,
      heldTokens: HELD_RETRY_MS,
      heldPictures: HELD_RETRY_MS,
    };
    return [{ kind, scope, limit: limits[name] ?? 0, retryAfterMs: waits[refusal], isUsedUp }];
  });
  const worst = refusals.sort((one, other) => other.retryAfterMs - one.retryAfterMs)[0];
  return worst && new LimitExceededError({ ...worst, quotas: toQuotas(scopes, undefined, nowMs) });
}

/** Exhausted limit of each refusal: its kind, and its name in the database function `reserve_limits`. */
const REFUSED_LIMITS = {
  tokens: { kind: 'tokens', name: 'tokens' },
  pictures: { kind: 'images', name: 'pictures' },
  requests: { kind: 'requests', name: 'requests' },
  atOnce: { kind: 'atOnce', name: 'atOnce' },
  heldTokens: { kind: 'tokens', name: 'tokens' },
  heldPictures: { kind: 'images', name: 'pictures' },
} as const satisfies Record<
  NonNullable<CheckedUse['refusal']>,
  { readonly kind: LimitKind; readonly name: keyof ScopeLimits }
>;

/**
 * Returns the remaining amount of the tightest limit of each kind.
 * @param reserved amounts reserved after `use` was read.
 */
export function toQuotas(
  scopes: readonly UsedScope[],
  reserved: Pick<ReservationRequest, 'tokens' | 'more' | 'pictures'> | undefined,
  nowMs: number,
): Quotas {
  const added = reserved
    ? { requests: 1, tokens: reserved.tokens + reserved.more, images: reserved.pictures }
    : { requests: 0, tokens: 0, images: 0 };
  let requests: Quota | undefined;
  let tokens: Quota | undefined;
  let images: Quota | undefined;
  for (const { limits, use } of scopes) {
    if (!use) continue;
    requests = toTighter(requests, limits.requests, use.requests + added.requests, msToNextMinute(use, nowMs));
    tokens = toTighter(tokens, limits.tokens, use.tokens + added.tokens, msToMidnight(nowMs));
    images = toTighter(images, limits.pictures, use.pictures + added.images, msToMidnight(nowMs));
  }
  return { requests, tokens, images };
}

/** Returns the quota with less remaining, the first of equals. */
function toTighter(
  known: Quota | undefined,
  limit: number | undefined,
  used: number,
  resetMs: number,
): Quota | undefined {
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
