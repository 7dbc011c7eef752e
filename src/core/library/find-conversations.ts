import { sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { type ChatOwner, type IndexedWord, listSearchWords } from '../conversations/index.ts';
import { isOwnedBy, toScope } from './owner.ts';
import { INDEX_ONLY } from './search-chunks.ts';
import { TEXT_SEARCH } from './text-search.ts';
import { listTerms } from './words.ts';

/** Shorter words are not taken for the beginning of others: too many begin with them. */
const MIN_PREFIX_LENGTH = 3;

/**
 * Finds the conversations of an owner by each word of a search: those with the word in any of its forms, or with one
 * that begins with it, unless it is very short. Leaves out stop words.
 */
export function findConversations(db: Database, owner: ChatOwner, search: string): Promise<readonly IndexedWord[]> {
  const words = listSearchWords(search).map((text) => ({ text, terms: listTerms(text) }));
  const terms = words.flatMap((word, number) =>
    word.terms.map(({ text, isPrefix }) => ({
      ...{ number, text },
      isPrefix: isPrefix || text.length >= MIN_PREFIX_LENGTH,
    })),
  );
  return db.transaction(async (tx) => {
    await tx.execute(INDEX_ONLY);
    const found = sql`(
      with conditions as materialized (
        select number, string_agg('(' || query::text || ')', ' & ')::tsquery as query
        from jsonb_to_recordset(${JSON.stringify(terms)}::text::jsonb) as term (number integer, text text, "isPrefix" boolean),
        lateral (select plainto_tsquery(${TEXT_SEARCH}, text)
          || case when "isPrefix" then to_tsquery(${TEXT_SEARCH}, text || ':*') else '' end as query) as parsed
        where numnode(query) > 0 group by number
      )
      select number, coalesce(jsonb_agg(thread_id) filter (where thread_id is not null), '[]') as ids
      from conditions left join lateral (
        select distinct messages.thread_id from library_chunks join messages on messages.id = library_chunks.message_id
        where words @@ (${toScope(owner, 0, 0).query} && query) and ${isOwnedBy(owner)}
      ) found on true group by number
    )`;
    const rows = await tx
      .select({ number: sql<number>`found.number`, ids: sql<readonly number[]>`found.ids` })
      .from(sql`${found} as found`);
    const byNumber = new Map(rows.map(({ number, ids }) => [number, ids]));
    return words.flatMap(({ text, terms: ofWord }, number) => {
      const conversationIds = byNumber.get(number) ?? (ofWord.length === 0 ? [] : undefined);
      return conversationIds ? { text, conversationIds } : [];
    });
  });
}
