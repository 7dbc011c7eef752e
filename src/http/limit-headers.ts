import type { LimitExceededError, Quota, Quotas } from '../core/limits/index.ts';
import type { HttpErrorFacts } from './http-error.ts';

/**
 * Returns the rate limit headers of OpenAI's API: `x-ratelimit-limit-requests`, `-remaining-`, `-reset-`, and the same
 * for `tokens` and `pictures`. Requests are per minute, tokens and pictures per day; a reset is a duration in Go's
 * format.
 */
export function toLimitHeaders({ requests, tokens, images }: Quotas): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  if (requests) addQuota(headers, NAMES.requests, requests);
  if (tokens) addQuota(headers, NAMES.tokens, tokens);
  if (images) addQuota(headers, NAMES.images, images);
  return headers;
}

/**
 * Converts an exceeded limit to OpenAI's 429. A used-up daily quota is `insufficient_quota`, with `x-should-retry:
 * false` so that OpenAI clients don't retry; everything else is `rate_limit_exceeded`.
 */
export function toLimitFailure(error: LimitExceededError): HttpErrorFacts {
  const { kind, scope, limit, isUsedUp, retryAfterMs, quotas } = error;
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const amount = `${limit} ${AMOUNTS[kind]}`;
  return {
    status: 429,
    type: isUsedUp ? 'insufficient_quota' : kind === 'tokens' ? 'tokens' : 'requests',
    code: isUsedUp ? 'insufficient_quota' : 'rate_limit_exceeded',
    message: isUsedUp
      ? `The limit of ${amount} for ${OWNERS[scope]} is used up. It resets in ${toDuration(seconds * 1000)}, at 00:00 UTC.`
      : `The limit of ${amount} for ${OWNERS[scope]} is reached. Please try again in ${toDuration(seconds * 1000)}.`,
    headers: {
      'retry-after': String(seconds),
      ...(isUsedUp ? { 'x-should-retry': 'false' } : {}),
      ...toLimitHeaders(quotas),
    },
  };
}

const AMOUNTS = {
  requests: 'requests per minute',
  tokens: 'tokens per day',
  images: 'images per day',
  atOnce: 'concurrent requests',
} as const satisfies Record<LimitExceededError['kind'], string>;

const OWNERS = {
  person: 'you and all your keys',
  key: 'this API key',
  chat: 'this chat',
  address: 'your address',
} as const satisfies Record<LimitExceededError['scope'], string>;

const toNames = (quota: string) => ({
  limit: `x-ratelimit-limit-${quota}`,
  remaining: `x-ratelimit-remaining-${quota}`,
  reset: `x-ratelimit-reset-${quota}`,
});
const NAMES = { requests: toNames('requests'), tokens: toNames('tokens'), images: toNames('pictures') };

function addQuota(headers: Record<string, string>, names: ReturnType<typeof toNames>, quota: Quota): void {
  headers[names.limit] = String(quota.limit);
  headers[names.remaining] = String(quota.remaining);
  headers[names.reset] = toDuration(quota.resetMs);
}

/** Formats a duration as `6h2m59s`, `59.071s` or `120ms`. */
function toDuration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = Math.round(ms % 60_000) / 1000;
  return `${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`;
}
