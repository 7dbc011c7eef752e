import { describe, expect, it } from 'vitest';
import { LimitExceededError } from '../../../../src/core/limits/index.ts';
import { toLimitFailure, toLimitHeaders } from '../../../../src/http/server/errors/limit-headers.ts';
import { parseDurationMs } from '../../../../src/lib/http/retry-after.ts';

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

describe('a budget that does not cover a request', () => {
  const quotas = { requests: undefined, tokens: undefined, images: undefined };
  const refuse = (facts: Pick<LimitExceededError, 'retryAfterMs' | 'isUsedUp' | 'budget'>, limit = 5) =>
    toLimitFailure(new LimitExceededError({ kind: 'dollars', scope: 'key', limit, quotas, ...facts }));
  const resetsAt = Date.UTC(2027, 0, 1);

  it.each([
    ['day', resetsAt, 3_600_000, '3600'],
    ['month', resetsAt, 86_400_001, undefined],
    ['total', undefined, Number.POSITIVE_INFINITY, undefined],
  ] as const)('of a %s sends Retry-After within a day only', (period, at, retryAfterMs, seconds) => {
    const facts = refuse({ retryAfterMs, isUsedUp: true, budget: { period, spentUsd: 4.5, resetsAt: at } });
    expect(facts).toMatchObject({ status: 429, code: 'insufficient_quota' });
    expect(facts.headers?.['retry-after']).toBe(seconds);
    expect(facts.message).toContain('$4.50 is spent');
    expect(facts.message).toContain(at === undefined ? 'It does not reset.' : 'It resets at 2027-01-01T00:00:00Z.');
  });

  it('that is only reserved by others may be tried again', () => {
    const budget = { period: 'day', spentUsd: 0, resetsAt } as const;
    const facts = refuse({ retryAfterMs: 5000, isUsedUp: false, budget }, 0.000000001);
    expect(facts).toMatchObject({ code: 'rate_limit_exceeded', headers: { 'retry-after': '5' } });
    expect(facts.message).toContain('daily budget of $0.000000001 for this API key is reserved');
  });

  it('is in the headers without exponents, and without a reset for a total', () => {
    const dollars = { limit: 1e-9, remaining: 0.5, resetMs: Number.POSITIVE_INFINITY, period: 'total' } as const;
    expect(toLimitHeaders({ ...quotas, dollars })).toEqual({
      'x-ratelimit-limit-dollars': '0.000000001',
      'x-ratelimit-remaining-dollars': '0.5',
    });
  });
});
