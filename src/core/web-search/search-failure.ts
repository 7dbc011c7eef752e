import type { IncomingHttpHeaders } from 'node:http';
import { readRetryAfterMs } from '../../lib/retry-after.ts';

/** Failed request to a web search service. `message` has no part of the query and no secret. */
export class SearchFailure extends Error {
  override readonly name = 'SearchFailure';
  /** Time in which the service is not asked again; 0 if only this query was refused. */
  readonly restMs: number;
  constructor(message: string, restMs: number, options?: ErrorOptions) {
    super(message, options);
    this.restMs = restMs;
  }
}

/** Rests after a failure, in milliseconds. */
export const REST_MS = { broken: 20_000, rateLimited: 30_000, keyRefused: 600_000, usedUp: 3_600_000 };
const LONGEST_REST_MS = 3_600_000;
/** Statuses of Tavily for used-up plans, and the usual one. */
const USED_UP: readonly number[] = [402, 432, 433];

/**
 * Returns the failure that a status other than 2xx means.
 * @param text the response's body.
 * @param options.forbidden what status 403 means, if not that the key is refused.
 */
export function toSearchFailure(
  { status, headers }: { readonly status: number; readonly headers: IncomingHttpHeaders },
  text: string,
  { now, forbidden }: { readonly now: number; readonly forbidden?: string | undefined },
): SearchFailure {
  if (status === 403 && forbidden !== undefined) return new SearchFailure(forbidden, REST_MS.keyRefused);
  // Brave answers 422 to unknown keys.
  if (status === 401 || status === 403 || (status === 422 && text.includes('SUBSCRIPTION_TOKEN')))
    return new SearchFailure(`access is refused (status ${status})`, REST_MS.keyRefused);
  if (USED_UP.includes(status)) return new SearchFailure(`the plan is used up (status ${status})`, REST_MS.usedUp);
  if (status === 429) {
    const waitMs = readBraveReset(headers) ?? readRetryAfterMs(headers, now) ?? REST_MS.rateLimited;
    return new SearchFailure('too many requests (status 429)', Math.min(waitMs, LONGEST_REST_MS));
  }
  if (status === 400 || status === 422) return new SearchFailure(`the query is refused (status ${status})`, 0);
  return new SearchFailure(`it answered with status ${status}`, REST_MS.broken);
}

/**
 * Reads Brave's limits, such as `x-ratelimit-remaining: 0, 1000` with `x-ratelimit-reset: 1, 1419704` in seconds.
 * @returns milliseconds until all of them allow a request; undefined if the headers are others.
 */
function readBraveReset(headers: IncomingHttpHeaders): number | undefined {
  const [remaining, resets] = ['x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) =>
    String(headers[name] ?? '')
      .split(',')
      .map(Number),
  );
  if (!remaining || !resets || resets.length < 2 || remaining.length !== resets.length) return undefined;
  if ([...remaining, ...resets].some((value) => !Number.isFinite(value) || value < 0)) return undefined;
  const waits = resets.filter((_, at) => remaining[at] === 0);
  return waits.length === 0 ? undefined : Math.max(...waits) * 1000;
}
