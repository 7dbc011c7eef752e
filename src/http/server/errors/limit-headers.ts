import type { BudgetState, LimitExceededError, Quota, Quotas } from '../../../core/limits/index.ts';
import type { HttpErrorFacts } from '../../../protocols/http-error.ts';

/**
 * Returns the rate limit headers of OpenAI's API: `x-ratelimit-limit-requests`, `-remaining-`, `-reset-`, and the same
 * for `tokens`, `pictures` and `dollars`. Requests are per minute, tokens and pictures per day; a reset is a duration
 * in Go's format, missing for a total budget.
 */
export function toLimitHeaders({ requests, tokens, images, dollars }: Quotas): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  if (requests) addQuota(headers, NAMES.requests, requests);
  if (tokens) addQuota(headers, NAMES.tokens, tokens);
  if (images) addQuota(headers, NAMES.images, images);
  if (dollars) addQuota(headers, NAMES.dollars, dollars);
  return headers;
}

/** Some clients wait as long as they are told: a longer time is not sent. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/**
 * Converts an exceeded limit to OpenAI's 429. A used-up daily quota or budget is `insufficient_quota`, with
 * `x-should-retry: false` so that OpenAI clients don't retry; everything else is `rate_limit_exceeded`.
 */
export function toLimitFailure(error: LimitExceededError): HttpErrorFacts {
  const { kind, isUsedUp, retryAfterMs, quotas } = error;
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return {
    status: 429,
    type: isUsedUp ? 'insufficient_quota' : kind === 'tokens' ? 'tokens' : 'requests',
    code: isUsedUp ? 'insufficient_quota' : 'rate_limit_exceeded',
    message: error.budget ? describeBudget(error, error.budget, seconds) : describeQuota(error, seconds),
    headers: {
      ...(retryAfterMs <= MAX_RETRY_AFTER_MS ? { 'retry-after': String(seconds) } : {}),
      ...(isUsedUp ? { 'x-should-retry': 'false' } : {}),
      ...toLimitHeaders(quotas),
    },
  };
}

function describeQuota({ kind, scope, limit, isUsedUp }: LimitExceededError, seconds: number): string {
  const owner = OWNERS[scope];
  const amount = kind === 'dollars' ? toDollars(limit) : `${limit} ${AMOUNTS[kind]}`;
  return isUsedUp
    ? `The limit of ${amount} for ${owner} is used up. It resets in ${toDuration(seconds * 1000)}, at 00:00 UTC.`
    : `The limit of ${amount} for ${owner} is reached. Please try again in ${toDuration(seconds * 1000)}.`;
}

/** The amounts of the instance's budget are for its operator only. */
function describeBudget(
  { scope, limit, isUsedUp }: LimitExceededError,
  { period, spentUsd, resetsAt }: BudgetState,
  seconds: number,
): string {
  const isPublic = scope !== 'instance';
  const budget = `${BUDGETS[period]}${isPublic ? ` of ${toDollars(limit)}` : ''} for ${OWNERS[scope]}`;
  if (!isUsedUp)
    return `The rest of the ${budget} is reserved by requests in flight. Please try again in ${toDuration(seconds * 1000)}.`;
  const spent = isPublic ? `: ${toDollars(spentUsd)} is spent` : '';
  const reset = resetsAt === undefined ? 'It does not reset.' : `It resets at ${toIsoSeconds(resetsAt)}.`;
  return `The ${budget} does not cover this request${spent}. ${reset}`;
}

const BUDGETS = { day: 'daily budget', month: 'monthly budget', total: 'total budget' } as const;

/** Formats an amount as `$5.00` or `$0.000000001`. */
function toDollars(usd: number): string {
  return `$${usd.toFixed(9).replace(/0{1,7}$/, '')}`;
}

function toIsoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

const AMOUNTS = {
  requests: 'requests per minute',
  tokens: 'tokens per day',
  images: 'images per day',
  atOnce: 'concurrent requests',
} as const satisfies Record<Exclude<LimitExceededError['kind'], 'dollars'>, string>;

const OWNERS = {
  user: 'you and all your keys',
  key: 'this API key',
  chat: 'this chat',
  address: 'your address',
  instance: 'this service',
} as const satisfies Record<LimitExceededError['scope'], string>;

const toNames = (quota: string) => ({
  limit: `x-ratelimit-limit-${quota}`,
  remaining: `x-ratelimit-remaining-${quota}`,
  reset: `x-ratelimit-reset-${quota}`,
});
const NAMES = {
  requests: toNames('requests'),
  tokens: toNames('tokens'),
  images: toNames('pictures'),
  dollars: toNames('dollars'),
};

function addQuota(headers: Record<string, string>, names: ReturnType<typeof toNames>, quota: Quota): void {
  headers[names.limit] = toDecimal(quota.limit);
  headers[names.remaining] = toDecimal(quota.remaining);
  if (Number.isFinite(quota.resetMs)) headers[names.reset] = toDuration(quota.resetMs);
}

/** Formats a duration as `6h2m59s`, `59.071s` or `120ms`. */
function toDuration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = Math.round(ms % 60_000) / 1000;
  return `${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`;
}

/** Formats a number with at most nine decimals, without an exponent. */
function toDecimal(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(9).replace(/0{1,8}$/, '');
}
