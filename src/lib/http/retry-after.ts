import type { IncomingHttpHeaders } from 'node:http';

const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * Returns how long a server asks clients to wait, in milliseconds from `nowMs`, at most a day; undefined if it does not
 * say. Reads in this order: `retry-after-ms` (OpenAI), `retry-after` (seconds or an HTTP date, RFC 9110 10.2.3), and
 * the `x-ratelimit-reset*` headers of exhausted budgets (a duration such as `1m30.5s`, seconds, or a Unix time).
 */
export function readRetryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const waitMs =
    toMilliseconds(single(headers['retry-after-ms']), 1) ??
    readSecondsOrDate(single(headers['retry-after']), nowMs) ??
    readRateLimitReset(headers, nowMs);
  if (waitMs === undefined) return undefined;
  return Math.min(Math.max(0, Math.ceil(waitMs)), LONGEST_MS);
}

/**
 * Parses a duration in Go's format, as used by OpenAI and Groq: `250ms`, `6.5s`, `1m30s`, `2h`. Returns milliseconds,
 * undefined if invalid.
 */
export function parseDurationMs(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined;
  const factors: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/gy)) {
    total += Number(amount) * (factors[unit ?? ''] ?? 0);
  }
  return total;
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function toMilliseconds(text: string | undefined, factor: number): number | undefined {
  return text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) * factor : undefined;
}

function readSecondsOrDate(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const seconds = toMilliseconds(text, 1000);
  if (seconds !== undefined) return seconds;
  // Without a month name it is no HTTP date, and `Date.parse` would read a negative number as a year.
  const date = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : date - nowMs;
}

function readRateLimitReset(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const waits = ['', '-requests', '-tokens'].flatMap((budget) => {
    const reset = single(headers[`x-ratelimit-reset${budget}`]);
    const remaining = single(headers[`x-ratelimit-remaining${budget}`]);
    // A budget that is not exhausted did not cause the refusal.
    if (reset === undefined || (remaining !== undefined && Number(remaining) > 0)) return [];
    const wait = parseDurationMs(reset) ?? readMoment(reset, nowMs);
    return wait === undefined ? [] : [wait];
  });
  return waits.length > 0 ? Math.max(...waits) : undefined;
}

function readMoment(text: string, nowMs: number): number | undefined {
  const value = toMilliseconds(text, 1);
  if (value === undefined) return undefined;
  if (value > 1e12) return value - nowMs;
  return value > 1e9 ? value * 1000 - nowMs : value * 1000;
}
