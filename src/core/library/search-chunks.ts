import { sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { type EntryKey, toEntryKey } from './entry-id.ts';
import { isOwnedBy, type LibraryOwner, toOwnerWord } from './owner.ts';
import { toQueries } from './text-search.ts';
import type { Term } from './words.ts';

/** A chunk that was found. */
export interface Match {
  readonly chunkId: number;
  readonly entry: EntryKey;
}

/** Newest chunks that are considered for each term, and for all terms together: bounds the work for frequent words. */
const MAX_FOUND = 400;
/** Chunks with the rarest terms, which are ranked exactly. */
const MAX_RANKED = 200;
/** Number of chunks against which the rarity of a term is measured. */
const TYPICAL_CHUNKS = 10_000;

/**
 * Returns the chunks of an owner with most of the terms, best first. Rare terms count more than frequent ones, and a
 * term counts more if it occurs often in a short chunk or in its title.
 */
export async function searchChunks(
  db: Database,
  owner: LibraryOwner,
  terms: readonly Term[],
  limit: number,
): Promise<readonly Match[]> {
  const ownerQuery = sql`${`'${toOwnerWord(owner)}'`}::tsquery`;
  const found = sql`(
    with terms as materialized (${toQueries(terms)}),
    conditions as (
      select number, query from terms
      union all
      select 0, string_agg('(' || query::text || ')', ' & ')::tsquery from terms having count(*) > 1
    ),
    found as materialized (
      select number, newest.id from conditions cross join lateral (
        select id from library_chunks where words @@ (${ownerQuery} && query) and ${isOwnedBy(owner)}
        order by sent_at desc, id desc limit ${MAX_FOUND}
      ) newest
    ),
    weights as (
      select number, query, ln(1 + ${TYPICAL_CHUNKS}::float8 / count(*)) as weight
      from terms join found using (number) group by number, query
    ),
    candidates as (
      select id from found left join weights using (number)
      group by id
      order by sum(coalesce(weight, (select sum(weight) from weights))) desc, id desc limit ${MAX_RANKED}
    )
    select chunk.id, message_id, position, file_id, sum(weight * (0.5 + ts_rank(words, query, 1))) as score, sent_at
    from candidates join library_chunks chunk using (id) join weights on words @@ query
    group by chunk.id order by score desc, sent_at desc limit ${limit}
  )`;
  const rows = await db.transaction(async (tx) => {
    // For a frequent word, Postgres would read and decompress the words of all chunks instead of using their index.
    await tx.execute(sql`select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`);
    return tx
      .select({
        chunkId: sql<number>`found.id`.mapWith(Number),
        messageId: sql<number>`found.message_id`.mapWith(Number),
        position: sql<number | null>`found.position`,
        fileId: sql<string | null>`found.file_id`,
      })
      .from(sql`${found} as found`)
      .orderBy(sql`found.score desc, found.sent_at desc, found.id desc`);
  });
  return rows.map(({ chunkId, ...columns }) => ({ chunkId, entry: toEntryKey(columns) }));
}
