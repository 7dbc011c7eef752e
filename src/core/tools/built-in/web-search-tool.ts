import type { JsonObject } from '../../../lib/json/json.ts';
import { FRESHNESS, type WebSearch, type WebSearchResult, WebSearchUnavailableError } from '../../web-search/index.ts';
import { type Tool, ToolError } from '../tool.ts';

/** Longest query of the services, and their most words. */
const MAX_QUERY_CHARACTERS = 400;
const MAX_QUERY_WORDS = 50;
/** Searches of one answer: each may cost the operator money. */
const MAX_SEARCHES = 10;

/** Creates the tool that searches the web. */
export function createWebSearchTool(webSearch: Pick<WebSearch, 'search'>): Tool {
  return {
    name: 'web_search',
    description:
      'Searches the web and returns addresses and excerpts of pages. Use it for news, prices, versions and other facts that change ' +
      'or that you do not know for certain. The pages are listed below your answer by themselves: do not repeat the list.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', description: `Search terms, at most ${MAX_QUERY_WORDS} words` },
        freshness: { type: 'string', enum: FRESHNESS, description: 'Only pages of the last day, week, month or year' },
      },
      required: ['query'],
    },
    activity: 'searching',
    describeCall: findQuery,
    permission: 'after-foreign-text',
    isReadOnly: true,
    maxCalls: MAX_SEARCHES,
    hasForeignResults: true,
    findQuery,
    async run(parameters, { addSource, signal }) {
      const text = findQuery(parameters);
      if (text === undefined) throw new ToolError('the query is missing');
      if (text.length > MAX_QUERY_CHARACTERS || text.split(' ').length > MAX_QUERY_WORDS)
        throw new ToolError(`the query has more than ${MAX_QUERY_WORDS} words or ${MAX_QUERY_CHARACTERS} characters`);
      const freshness = FRESHNESS.find((one) => one === parameters['freshness']);
      try {
        const results = await webSearch.search({ text, freshness }, signal);
        for (const { url, title } of results) addSource({ url, title });
        return results.length === 0 ? 'Nothing was found.' : results.map(toText).join('\n\n');
      } catch (error) {
        if (error instanceof WebSearchUnavailableError)
          throw new ToolError('the web search is not available right now', { cause: error });
        throw error;
      }
    },
  };
}

function findQuery({ query }: JsonObject): string | undefined {
  const text = typeof query === 'string' ? query.replaceAll(/\s+/g, ' ').trim() : '';
  return text === '' ? undefined : text;
}

function toText({ title, url, text, date }: WebSearchResult): string {
  return [title, url, ...(date === undefined ? [] : [date]), ...(text === '' ? [] : [text])].join('\n');
}
