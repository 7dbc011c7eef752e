import { toNineDecimals } from '../../lib/dollars.ts';
import { AMOUNT_FIELDS, BUDGET_PERIODS, type BudgetPeriod, SPENT_FIELDS } from './budget-amounts.ts';
import {
  type DollarQuota,
  LimitExceededError,
  type LimitKind,
  type Quota,
  type Quotas,
} from './limit-exceeded-error.ts';
import { DAY_MS, MINUTE_MS } from './limit-statements.ts';
import type { ScopeKind } from './limited-scopes.ts';
import type { CheckedUse, ReservationRequest, ScopeLimits, ScopeUse } from './reservations.ts';

/** Suggested retry time if only requests in flight exceed the limit. */
const AT_ONCE_RETRY_MS = 1000;
const RESERVED_RETRY_MS = 5000;

/** A limited scope and its current usage. */
export interface UsedScope<Use = ScopeUse> {
  readonly scope: ScopeKind;
  readonly limits: ScopeLimits;
  readonly use: Use | undefined;
}

/** Returns the error of the refusal with the longest retry time; undefined if no scope refused. */
export function toRefusal(scopes: readonly UsedScope<CheckedUse>[], nowMs: number): LimitExceededError | undefined {
  if (scopes.every(({ use }) => !use?.refusal)) return undefined;
  const refusals = scopes.flatMap(({ scope, limits, use }): RefusalFacts[] => {
    const refusal = use?.refusal;
    if (!use || !refusal) return [];
    if (isBudgetRefusal(refusal)) return [{ scope, ...toBudgetRefusal(refusal, limits, use, nowMs) }];
    const { kind, name } = REFUSED_LIMITS[refusal];
    const isUsedUp = refusal === 'tokens' || refusal === 'images';
    const waits = {
      tokens: msToMidnight(nowMs),
      images: msToMidnight(nowMs),
      requests: msToNextMinute(use, nowMs),
      atOnce: AT_ONCE_RETRY_MS,
      reservedTokens: RESERVED_RETRY_MS,
      reservedImages: RESERVED_RETRY_MS,
    };
    return [{ kind, scope, limit: limits[name] ?? 0, retryAfterMs: waits[refusal], isUsedUp }];
  });
  const worst = refusals.reduce((one, other) => (other.retryAfterMs > one.retryAfterMs ? other : one));
  return new LimitExceededError({ ...worst, quotas: toQuotas(scopes, undefined, nowMs) });
}

type RefusalFacts = Omit<ConstructorParameters<typeof LimitExceededError>[0], 'quotas'>;
type Refusal = NonNullable<CheckedUse['refusal']>;
type BudgetRefusal = 'usdPerDay' | 'usdPerMonth' | 'usdTotal' | 'reservedUsd';

function isBudgetRefusal(refusal: Refusal): refusal is BudgetRefusal {
  return refusal === 'reservedUsd' || PERIODS_OF_REFUSALS[refusal as keyof typeof PERIODS_OF_REFUSALS] !== undefined;
}

const PERIODS_OF_REFUSALS = { usdPerDay: 'day', usdPerMonth: 'month', usdTotal: 'total' } as const;

function toBudgetRefusal(refusal: BudgetRefusal, limits: ScopeLimits, use: ScopeUse, nowMs: number) {
  const isUsedUp = refusal !== 'reservedUsd';
  const period = isUsedUp ? PERIODS_OF_REFUSALS[refusal] : findTightestPeriod(limits, use);
  return {
    kind: 'dollars' as const,
    limit: limits[AMOUNT_FIELDS[period]] ?? 0,
    retryAfterMs: isUsedUp ? msToEnd(period, nowMs) : RESERVED_RETRY_MS,
    isUsedUp,
    budget: {
      period,
      spentUsd: use[SPENT_FIELDS[period]] ?? 0,
      resetsAt: toResetTime(period, nowMs),
    },
  };
}

/** Exhausted limit of each other refusal: its kind, and its name in the database function `settle_and_reserve`. */
const REFUSED_LIMITS = {
  tokens: { kind: 'tokens', name: 'tokens' },
  images: { kind: 'images', name: 'images' },
  requests: { kind: 'requests', name: 'requests' },
  atOnce: { kind: 'atOnce', name: 'atOnce' },
  reservedTokens: { kind: 'tokens', name: 'tokens' },
  reservedImages: { kind: 'images', name: 'images' },
} as const satisfies Record<
  Exclude<Refusal, BudgetRefusal>,
  { readonly kind: LimitKind; readonly name: keyof ScopeLimits }
>;

function findTightestPeriod(limits: ScopeLimits, use: ScopeUse): BudgetPeriod {
  const left = (period: BudgetPeriod) =>
    (limits[AMOUNT_FIELDS[period]] ?? Number.POSITIVE_INFINITY) - (use[SPENT_FIELDS[period]] ?? 0);
  return BUDGET_PERIODS.reduce((one, other) => (left(other) < left(one) ? other : one));
}

/**
 * Returns the remaining amount of the tightest limit of each kind.
 * @param reserved amounts reserved after `use` was read.
 */
export function toQuotas(
  scopes: readonly UsedScope[],
  reserved: (Pick<ReservationRequest, 'tokens' | 'more' | 'images'> & { readonly usd: number }) | undefined,
  nowMs: number,
): Quotas {
  const added = reserved
    ? { requests: 1, tokens: reserved.tokens + reserved.more, images: reserved.images, usd: reserved.usd }
    : { requests: 0, tokens: 0, images: 0, usd: 0 };
  let requests: Quota | undefined;
  let tokens: Quota | undefined;
  let images: Quota | undefined;
  let dollars: DollarQuota | undefined;
  for (const { scope, limits, use } of scopes) {
    if (!use) continue;
    requests = toTighter(requests, limits.requests, use.requests + added.requests, msToNextMinute(use, nowMs));
    tokens = toTighter(tokens, limits.tokens, use.tokens + added.tokens, msToMidnight(nowMs));
    images = toTighter(images, limits.images, use.images + added.images, msToMidnight(nowMs));
    if (scope === 'instance') continue;
    for (const period of BUDGET_PERIODS) {
      const used = (use[SPENT_FIELDS[period]] ?? 0) + (use.reservedUsd ?? 0) + added.usd;
      const quota = toTighter(dollars, limits[AMOUNT_FIELDS[period]], used, msToEnd(period, nowMs));
      if (quota !== dollars && quota) dollars = { ...quota, remaining: toNineDecimals(quota.remaining), period };
    }
  }
  return { requests, tokens, images, ...(dollars && { dollars }) };
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

/** Returns the end of the period in Unix milliseconds; undefined for `total`. */
export function toResetTime(period: BudgetPeriod, nowMs: number): number | undefined {
  return period === 'total' ? undefined : nowMs + msToEnd(period, nowMs);
}

/** Returns the time until the period ends; infinite for `total`. */
function msToEnd(period: BudgetPeriod, nowMs: number): number {
  if (period === 'day') return msToMidnight(nowMs);
  if (period === 'total') return Number.POSITIVE_INFINITY;
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - nowMs;
}

function msToMidnight(nowMs: number): number {
  return DAY_MS - (nowMs % DAY_MS);
}

function msToNextMinute({ minuteBeganAt }: ScopeUse, nowMs: number): number {
  return Math.min(MINUTE_MS, Math.max(1, minuteBeganAt + MINUTE_MS - nowMs));
}
