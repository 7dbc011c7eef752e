import { describe, expect, it } from 'vitest';
import { parseDurationMs, readRetryAfterMs } from '../../../src/lib/http/retry-after.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('a retry time', () => {
  it.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['fractions of seconds', { 'retry-after': '0.25' }, 250],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 60_000],
    ['a date that has passed', { 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, 0],
    ['milliseconds, which are more exact', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
    [
      'a duration until the budget is new',
      { 'x-ratelimit-reset-requests': '1m30s', 'x-ratelimit-remaining-requests': '0' },
      90_000,
    ],
    ['a time in Unix milliseconds', { 'x-ratelimit-reset': String(NOW + 5000) }, 5000],
    ['a time in Unix seconds', { 'x-ratelimit-reset': String(NOW / 1000 + 5) }, 5000],
    [
      'the longest of the exhausted budgets',
      { 'x-ratelimit-reset-requests': '2s', 'x-ratelimit-reset-tokens': '250ms', 'x-ratelimit-remaining-tokens': '0' },
      2000,
    ],
  ])('is read from %s', (_, headers, waitMs) => {
    expect(readRetryAfterMs(headers, NOW)).toBe(waitMs);
  });

  it.each([
    ['the header is missing', {}],
    ['the value is no time', { 'retry-after': 'soon' }],
    ['the time is negative', { 'retry-after': '-5' }],
    ['the time is NaN', { 'retry-after': 'NaN' }],
    ['the time is infinite', { 'retry-after': 'Infinity', 'retry-after-ms': '-Infinity' }],
    ['the time has an exponent', { 'retry-after': '1e99' }],
    ['the header is empty', { 'retry-after': '' }],
    ['the budget has something left', { 'x-ratelimit-reset-tokens': '9s', 'x-ratelimit-remaining-tokens': '100' }],
  ])('is unknown if %s', (_, headers) => {
    expect(readRetryAfterMs(headers, NOW)).toBeUndefined();
  });

  it.each([
    ['seconds', { 'retry-after': '99999999' }],
    ['a number beyond doubles', { 'retry-after': '9'.repeat(400) }],
    ['milliseconds', { 'retry-after-ms': '9'.repeat(400) }],
    ['a date', { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }],
    ['a duration', { 'x-ratelimit-reset': `${'9'.repeat(400)}h` }],
    ['a moment', { 'x-ratelimit-reset': '9'.repeat(400) }],
  ])('is a day at most, in %s', (_, headers) => {
    expect(readRetryAfterMs(headers, NOW)).toBe(86_400_000);
  });

  it('is read within milliseconds, whatever the header contains', () => {
    const startedAt = process.threadCpuUsage().user;
    for (const piece of ['1', '1m', '1.1', '1ms', ' ', 'a', '1.', '-'])
      for (const name of ['retry-after', 'retry-after-ms', 'x-ratelimit-reset'])
        readRetryAfterMs({ [name]: `${piece.repeat(8000)}!` }, NOW);
    expect(process.threadCpuUsage().user - startedAt).toBeLessThan(500_000);
  });
});

describe('a duration', () => {
  it.each([
    ['250ms', 250],
    ['6.5s', 6500],
    ['1m30.5s', 90_500],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['5', undefined],
    ['s', undefined],
    ['5 s', undefined],
  ])('%s is %s ms', (text, durationMs) => {
    expect(parseDurationMs(text)).toBe(durationMs);
  });
});
