import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { type ChatOwner, type IndexedWord, listSearchWords } from '../../conversations/index.ts';
import { isOwnedBy, toScope } from '../owner.ts';
import { INDEX_ONLY } from './search-chunks.ts';
import { TEXT_SEARCH } from './text-search.ts';
import { listTerms } from './words.ts';

/** Shorter words are not taken for the beginning of others: too many begin with them. */
const MIN_PREFIX_LENGTH = 3;

/**
 * Finds the conversations of an owner by each word of a search: those with the word in any of its forms, or with one
 * that begins with it, unless it is very short. Leaves out stop words.
 */
export async function findConversations(
  db: Database,
  owner: ChatOwner,
  search: string,
): Promise<readonly IndexedWord[]> {
  return db.transaction(async (tx) => {
    await tx.execute(INDEX_ONLY);
    const found: IndexedWord[] = [];
    for (const text of listSearchWords(search)) {
      const terms = listTerms(text);
      const conversationIds = terms.length === 0 ? [] : await findByTerms(tx, owner, terms);
      if (conversationIds) found.push({ text, conversationIds });
      // The embedded database resolves without yielding to the event loop.
      await yieldToEventLoop();
    }
    return found;
  });
}

/** @returns undefined if the terms are stop words. */
async function findByTerms(
  tx: Database,
  owner: ChatOwner,
  terms: ReturnType<typeof listTerms>,
): Promise<readonly number[] | undefined> {
  const wanted = terms.map(({ text, isPrefix }) => ({ text, isPrefix: isPrefix || text.length >= MIN_PREFIX_LENGTH }));
  const found = sql`(
    with condition as materialized (
      select string_agg('(' || query::text || ')', ' & ')::tsquery as query
      from jsonb_to_recordset(${JSON.stringify(wanted)}::text::jsonb) as term (text text, "isPrefix" boolean),
      lateral (select plainto_tsquery(${TEXT_SEARCH}, text)
        || case when "isPrefix" then to_tsquery(${TEXT_SEARCH}, text || ':*') else '' end as query) as parsed
      where numnode(query) > 0
    )
    select coalesce(jsonb_agg(conversation_id) filter (where conversation_id is not null), '[]') as ids
    from condition left join lateral (
      select distinct messages.conversation_id from library_chunks join messages on messages.id = library_chunks.message_id
      where words @@ (${toScope(owner, 0, 0).query} && query) and ${isOwnedBy(owner)}
    ) found on true
    where query is not null having count(*) > 0
  )`;
  const [row] = await tx.select({ ids: sql<readonly number[]>`found.ids` }).from(sql`${found} as found`);
  return row?.ids;
}
