import { describe, expect, it } from 'vitest';
import { LimitExceededError } from '../../../src/core/limits/index.ts';
import { toLimitFailure, toLimitHeaders } from '../../../src/http/limit-headers.ts';
import { parseDurationMs } from '../../../src/lib/retry-after.ts';

describe('rate limit headers', () => {
  it.each([
    [1, '1ms'],
    [999, '999ms'],
    [1000, '1s'],
    [59_071, '59.071s'],
    [60_000, '1m0s'],
    [3_600_000, '1h0m0s'],
    [86_399_000, '23h59m59s'],
  ])('contain %i ms as %s, which can be parsed again', (resetMs, text) => {
    const headers = toLimitHeaders({
      requests: { limit: 5, remaining: 2, resetMs },
      tokens: undefined,
      images: undefined,
    });
    expect(headers).toEqual({
      'x-ratelimit-limit-requests': '5',
      'x-ratelimit-remaining-requests': '2',
      'x-ratelimit-reset-requests': text,
    });
    expect(parseDurationMs(text)).toBe(resetMs);
  });
});

describe('a limit that is reached', () => {
  const quotas = { requests: undefined, tokens: undefined, images: undefined };
  it.each([
    ['requests', false, 20_100, 'requests', 'rate_limit_exceeded', '21', undefined],
    ['atOnce', false, 1000, 'requests', 'rate_limit_exceeded', '1', undefined],
    ['tokens', false, 5000, 'tokens', 'rate_limit_exceeded', '5', undefined],
    ['tokens', true, 3_600_000, 'insufficient_quota', 'insufficient_quota', '3600', 'false'],
    ['images', true, 1, 'insufficient_quota', 'insufficient_quota', '1', 'false'],
  ] as const)(
    'of %s (used up: %s) has the error message of OpenAI',
    (kind, isUsedUp, retryAfterMs, type, code, seconds, retry) => {
      const facts = toLimitFailure(
        new LimitExceededError({ kind, scope: 'key', limit: 7, retryAfterMs, isUsedUp, quotas }),
      );
      expect(facts).toMatchObject({ status: 429, type, code });
      expect(facts.headers?.['retry-after']).toBe(seconds);
      expect(facts.headers?.['x-should-retry']).toBe(retry);
      expect(facts.message).toContain('for this API key');
    },
  );
});
