import type { Quota, Quotas } from '../../../core/limits/index.ts';

/**
 * Returns the rate limit headers of Anthropic's API: `anthropic-ratelimit-requests-limit`, `-remaining`, `-reset`, and
 * the same for `tokens`. Requests are per minute, tokens per day; a reset is a time in RFC 3339.
 */
export function toMessagesLimitHeaders({ requests, tokens }: Quotas, nowMs: number): Record<string, string> {
  return { ...toHeaders('requests', requests, nowMs), ...toHeaders('tokens', tokens, nowMs) };
}

function toHeaders(name: string, quota: Quota | undefined, nowMs: number): Record<string, string> {
  if (!quota) return {};
  const reset = new Date(Math.ceil((nowMs + quota.resetMs) / 1000) * 1000);
  return {
    [`anthropic-ratelimit-${name}-limit`]: String(quota.limit),
    [`anthropic-ratelimit-${name}-remaining`]: String(quota.remaining),
    [`anthropic-ratelimit-${name}-reset`]: reset.toISOString().replace('.000Z', 'Z'),
  };
}
