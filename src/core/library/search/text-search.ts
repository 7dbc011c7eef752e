import { type SQL, sql } from 'drizzle-orm';
import type { Term } from './words.ts';

/**
 * Configuration of text search: English stems for words of ASCII letters, Russian ones for others. Words of other
 * languages stay as they are, or lose their ending in the index and in the search alike.
 */
export const TEXT_SEARCH = sql.raw(`'pg_catalog.russian'::regconfig`);

/** Returns a subquery with the columns `number` and `query`: the query of each term, except of stop words. */
export function toQueries(terms: readonly Term[]): SQL {
  const numbered = JSON.stringify(terms.map((term, index) => ({ number: index + 1, ...term })));
  return sql`
    select number, query
    from jsonb_to_recordset(${numbered}::text::jsonb) as term (number integer, text text, "isPrefix" boolean),
    lateral (select case when "isPrefix" then to_tsquery(${TEXT_SEARCH}, text || ':*')
      else plainto_tsquery(${TEXT_SEARCH}, text) end as query) as parsed
    where numnode(query) > 0`;
}
