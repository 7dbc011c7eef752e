import { unescape as decodeLeniently } from 'node:querystring';
import { isJsonObject } from '../../lib/json/json.ts';
import type { GivenResult, SearchApi, WebSearchQuery, WebSearchService } from './search-api.ts';

/** Results requested from a service. */
const RESULT_COUNT = 10;
const BRAVE = 'https://api.search.brave.com';
const TAVILY = 'https://api.tavily.com';
const BRAVE_FRESHNESS = { day: 'pd', week: 'pw', month: 'pm', year: 'py' };

export function createSearchApi(service: WebSearchService): SearchApi {
  if (service.kind === 'brave') return createBraveApi(service.apiKey, service.baseUrl ?? BRAVE);
  if (service.kind === 'searxng') return createSearxngApi(service.baseUrl);
  return createTavilyApi(service.apiKey, service.baseUrl ?? TAVILY);
}

/** Brave Search: `GET /res/v1/web/search`. */
function createBraveApi(apiKey: string, baseUrl: string): SearchApi {
  return {
    isHtml: true,
    toRequest: ({ text, freshness }) => ({
      method: 'GET',
      url: toUrl(baseUrl, '/res/v1/web/search', {
        q: text,
        count: String(RESULT_COUNT),
        result_filter: 'web',
        text_decorations: 'false',
        freshness: freshness && BRAVE_FRESHNESS[freshness],
      }),
      headers: { 'x-subscription-token': apiKey },
    }),
    readResults({ type, web }) {
      if (!isJsonObject(web)) return type === 'search' ? [] : undefined;
      return readList(web['results'], 'description', 'page_age');
    },
  };
}

/** Tavily: `POST /search`. */
function createTavilyApi(apiKey: string, baseUrl: string): SearchApi {
  return {
    isHtml: false,
    toRequest: ({ text, freshness }) => ({
      method: 'POST',
      url: toUrl(baseUrl, '/search', {}),
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: text, max_results: RESULT_COUNT, time_range: freshness }),
    }),
    readResults: ({ results }) => readList(results, 'content', 'published_date'),
  };
}

/** SearXNG: `GET /search?format=json`, which its `settings.yml` has to allow. */
function createSearxngApi(baseUrl: string): SearchApi {
  const { username, password } = new URL(baseUrl);
  const credentials = `${decodeLeniently(username)}:${decodeLeniently(password)}`;
  const headers: Record<string, string> =
    credentials === ':' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  return {
    isHtml: false,
    forbidden: 'it refuses JSON (status 403): add json to search.formats in its settings.yml',
    toRequest: ({ text, freshness }: WebSearchQuery) => ({
      method: 'GET',
      url: toUrl(baseUrl, '/search', { q: text, format: 'json', time_range: freshness }),
      headers,
    }),
    readResults({ results, unresponsive_engines: failed }) {
      const list = readList(results, 'content', 'publishedDate');
      // No search engine has answered SearXNG.
      return list?.length === 0 && Array.isArray(failed) && failed.length > 0 ? undefined : list;
    },
  };
}

function toUrl(baseUrl: string, path: string, parameters: Readonly<Record<string, string | undefined>>): URL {
  const url = new URL(baseUrl);
  url.username = '';
  url.password = '';
  url.pathname = url.pathname.replace(/\/$/, '') + path;
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

function readList(list: unknown, textField: string, dateField: string): readonly GivenResult[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.filter(isJsonObject).map((result) => ({
    url: result['url'],
    title: result['title'],
    text: result[textField],
    date: result[dateField],
  }));
}
