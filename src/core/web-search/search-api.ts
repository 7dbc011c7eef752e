import type { JsonObject } from '../../lib/json/json.ts';

/** A web search service with the operator's access to it. */
export type WebSearchService =
  | {
      readonly kind: 'brave' | 'tavily';
      readonly apiKey: string;
      /** Default: the vendor's. */
      readonly baseUrl?: string | undefined;
    }
  /** @property baseUrl may contain `user:password@`. */
  | { readonly kind: 'searxng'; readonly baseUrl: string };

export const FRESHNESS = ['day', 'week', 'month', 'year'] as const;

export interface WebSearchQuery {
  readonly text: string;
  /** Maximum age of results. Default any. */
  readonly freshness?: (typeof FRESHNESS)[number] | undefined;
}

export interface SearchRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Fields of one result as the service names them; none of them is checked. */
export interface GivenResult {
  readonly url: unknown;
  readonly title: unknown;
  readonly text: unknown;
  readonly date: unknown;
}

/** Protocol of a web search service. */
export interface SearchApi {
  toRequest(query: WebSearchQuery): SearchRequest;
  /** Returns the results of a response, best first; undefined if it is not one of this service. */
  readResults(response: JsonObject): readonly GivenResult[] | undefined;
  /** Title and text of results are HTML. */
  readonly isHtml: boolean;
  /** Meaning of status 403. Default: the key is refused. */
  readonly forbidden?: string;
}
