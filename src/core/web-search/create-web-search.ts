import type { Dispatcher } from 'undici';
import { type Clock, sleep } from '../../lib/clock.ts';
import { createHttpAgent, HttpSizeError, HttpTimeoutError, openHttp } from '../../lib/http-client.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { Logger } from '../../lib/logger.ts';
import { readJson } from '../../lib/read-json.ts';
import { readResults, type WebSearchResult } from './read-result.ts';
import type { SearchApi, WebSearchQuery, WebSearchService } from './search-api.ts';
import { createSearchApi } from './search-apis.ts';
import { REST_MS, SearchFailure, toSearchFailure } from './search-failure.ts';

/** Searches the web by the operator's services. */
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
