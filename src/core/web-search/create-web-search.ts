import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { type Clock, sleep } from '../../lib/clock.ts';
import { createHttpAgent, HttpSizeError, HttpTimeoutError, openHttp } from '../../lib/http/http-client.ts';
import { readRetryAfterMs } from '../../lib/http/retry-after.ts';
import { isJsonObject } from '../../lib/json/json.ts';
import { readJson } from '../../lib/json/read-json.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { readResults, type WebSearchResult } from './read-result.ts';
import type { SearchApi, WebSearchQuery, WebSearchService } from './search-api.ts';
import { createSearchApi } from './search-apis.ts';

/** Search of the web by the operator's services. */
export interface WebSearch {
  /**
   * Asks the services in order until one answers. A service that failed is skipped for a while.
   * @returns the results, best first; empty if nothing was found.
   * @throws WebSearchUnavailableError if no service answers; the signal's reason.
   */
  search(query: WebSearchQuery, signal: AbortSignal): Promise<readonly WebSearchResult[]>;
  /** Searches once with each service. @returns its problem; undefined if it answers. */
  check(signal: AbortSignal): Promise<readonly { readonly name: string; readonly problem: string | undefined }[]>;
  close(): Promise<void>;
}

/** Thrown when no web search service answers. */
export class WebSearchUnavailableError extends Error {
  override readonly name = 'WebSearchUnavailableError';
}

/** Timeouts of one request: three services can fail within the default timeout of a tool call. */
const TIMEOUTS = { connectMs: 4000, startMs: 8000, idleMs: 8000, totalMs: 9000 };
const MAX_RESPONSE_BYTES = 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;
/** Longest wait for a rate limit of requests per second, as those of small plans, and how often it is waited for. */
const MAX_WAIT_MS = 2000;
const MAX_WAITS = 3;
const CHECK_QUERY: WebSearchQuery = { text: 'weather' };

interface Source {
  readonly name: string;
  readonly api: SearchApi;
  /** Unix milliseconds until which the service is skipped. */
  restsUntil: number;
}

/** @param services in the order of preference. */
export function createWebSearch(
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  services: readonly WebSearchService[],
): WebSearch {
  const deps = { clock, dispatcher: createHttpAgent({ connectMs: TIMEOUTS.connectMs }) };
  const sources = services.map(
    (service): Source => ({
      name: service.kind,
      api: createSearchApi(service),
      restsUntil: 0,
    }),
  );

  /** Asks each service that does not rest. @returns undefined if none answers. */
  const searchOnce = async (query: WebSearchQuery, signal: AbortSignal) => {
    for (const source of sources) {
      if (source.restsUntil > clock.now()) continue;
      try {
        return await request(deps, source.api, query, signal);
      } catch (error) {
        if (!(error instanceof SearchFailure)) throw error;
        const { message: problem, restMs } = error;
        source.restsUntil = Math.max(source.restsUntil, clock.now() + restMs);
        logger.warn({ service: source.name, problem, restMs }, 'a web search service failed');
      }
    }
    return undefined;
  };

  return {
    async search(query, signal) {
      for (let waits = 0; ; waits += 1) {
        const results = await searchOnce(query, signal);
        if (results) return results;
        const waitMs = Math.min(...sources.map(({ restsUntil }) => restsUntil)) - clock.now();
        if (waits >= MAX_WAITS || waitMs <= 0 || waitMs > MAX_WAIT_MS)
          throw new WebSearchUnavailableError('no web search service answers');
        await sleep(clock, waitMs, signal);
      }
    },
    check: (signal) =>
      Promise.all(
        sources.map(async ({ name, api }) => {
          try {
            await request(deps, api, CHECK_QUERY, signal);
            return { name, problem: undefined };
          } catch (error) {
            if (!(error instanceof SearchFailure)) throw error;
            return { name, problem: error.message };
          }
        }),
      ),
    close: () => deps.dispatcher.destroy(),
  };
}

/** Rests after a failure, in milliseconds. */
const REST_MS = { broken: 20_000, rateLimited: 30_000, keyRefused: 600_000, usedUp: 3_600_000 };

/** @throws SearchFailure; the signal's reason. */
async function request(
  deps: { readonly clock: Clock; readonly dispatcher: Dispatcher },
  api: SearchApi,
  query: WebSearchQuery,
  signal: AbortSignal,
): Promise<readonly WebSearchResult[]> {
  const { headers, ...wanted } = api.toRequest(query);
  try {
    const sent = { ...wanted, headers: { accept: 'application/json', ...headers }, timeouts: TIMEOUTS, signal };
    const response = await openHttp(deps, sent);
    try {
      if (response.status < 200 || response.status >= 300) {
        const text = await response.readAll(MAX_ERROR_BYTES).catch(() => '');
        throw toSearchFailure(response, text.toString(), { now: deps.clock.now(), forbidden: api.forbidden });
      }
      const body = await readJson(await response.readAll(MAX_RESPONSE_BYTES));
      const given = isJsonObject(body) ? api.readResults(body) : undefined;
      if (!given) throw new SearchFailure('its answer has no results', REST_MS.broken);
      return readResults(given, api.isHtml);
    } finally {
      response.close();
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof SearchFailure) throw error;
    throw new SearchFailure(describe(error), REST_MS.broken, { cause: error });
  }
}

function describe(error: unknown): string {
  if (error instanceof HttpTimeoutError) return 'it took too long';
  return error instanceof HttpSizeError ? 'its answer is too large' : 'it could not be reached';
}

/** Failed request to a web search service. `message` has no part of the query and no secret. */
class SearchFailure extends Error {
  override readonly name = 'SearchFailure';
  /** Time in which the service is not asked again; 0 if only this query was refused. */
  readonly restMs: number;
  constructor(message: string, restMs: number, options?: ErrorOptions) {
    super(message, options);
    this.restMs = restMs;
  }
}

/** Statuses of Tavily for used-up plans, and the usual one. */
const USED_UP: readonly number[] = [402, 432, 433];
const LONGEST_REST_MS = 3_600_000;

/**
 * Returns the failure that a status other than 2xx means.
 * @param text the response's body.
 * @param options.forbidden what status 403 means, if not that the key is refused.
 */
function toSearchFailure(
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
