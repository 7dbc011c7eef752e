export { createWebSearch, type WebSearch, WebSearchUnavailableError } from './create-web-search.ts';
export type { WebSearchResult } from './read-result.ts';
export { FRESHNESS, type WebSearchService } from './search-api.ts';
