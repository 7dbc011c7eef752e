import { type SQL, sql } from 'drizzle-orm';
import type { Library } from '../../src/core/library/index.ts';
import { toQueries } from '../../src/core/library/search/text-search.ts';
import { listTerms } from '../../src/core/library/search/words.ts';
import type { Database } from '../../src/database/connect.ts';

/** Program that finds texts of a user. */
export interface Contestant {
  readonly name: 'library' | 'textbook' | 'scan' | 'exhaustive';
  /** @returns the ids of the messages, best first. */
  search(userId: number, query: string): Promise<readonly number[]>;
}

/** Entries that are read and shown at once. */
const SHOWN = 10;
const FOUND = 50;

export function createLibraryContestant(library: Library): Contestant {
  return {
    name: 'library',
    async search(userId, query) {
      const { entries } = await library.search({ userId }, query, { offset: 0, limit: SHOWN, snippetUnits: 200 });
      return entries.flatMap(({ key }) => (key.kind === 'file' ? [] : key.messageId));
    },
  };
}

/** Returns two usual ways of searching in Postgres, over the same texts. */
export function createPeers(db: Database): readonly Contestant[] {
  return [
    { name: 'textbook', search: (userId, query) => listIds(db, rankAll(userId, query)) },
    { name: 'scan', search: (userId, query) => listIds(db, scan(userId, query)) },
  ];
}

/** Returns the ranking of the library over all chunks, without the limits that bound its time. */
export function createExhaustive(db: Database): Contestant {
  return { name: 'exhaustive', search: (userId, query) => listIds(db, scoreAll(userId, query)) };
}

function scoreAll(userId: number, query: string): SQL {
  return sql`
    with own as materialized (
      select message_id as id, sent_at, words || ''::tsvector as words from library_chunks where user_id = ${userId}::integer
    ), terms as (${toQueries(listTerms(query))}), weighted as materialized (
      select query, ln(1 + (select count(*) from own) / greatest(1, count(id))::float8) as weight
      from terms left join own on words @@ query group by query
    ), scored as (
      select id, sent_at, (
        select sum(weight * (0.5 + ts_rank(words, query, 1))) from weighted where words @@ query
      ) as score
      from own
    )
    select id from scored where score is not null order by score desc, sent_at desc limit ${FOUND}`;
}

async function listIds(db: Database, statement: SQL): Promise<readonly number[]> {
  const rows = await db.select({ id: sql<number>`id`.mapWith(Number) }).from(sql`(${statement}) as found`);
  return [...new Set(rows.map(({ id }) => id))];
}

/** Returns the statement of the manual of Postgres: all chunks with one of the words, by their rank. */
function rankAll(userId: number, query: string): SQL {
  return sql`
    select message_id as id from library_chunks, (
      select string_agg('(' || query::text || ')', ' | ')::tsquery as query from (${toQueries(listTerms(query))}) terms
    ) searched
    where user_id = ${userId}::integer and words @@ query order by ts_rank(words, query) desc limit ${FOUND}`;
}

/** Returns a statement without an index of words: the newest texts that contain all of them. */
function scan(userId: number, query: string): SQL {
  const patterns = JSON.stringify(query.split(' ').map((word) => `%${word}%`));
  return sql`
    with patterns as (select array_agg(pattern) as all from jsonb_array_elements_text(${patterns}::text::jsonb) as pattern)
    select messages.id from messages join conversations on conversations.id = conversation_id
    left join attachment_texts on message_id = messages.id, patterns
    where conversations.user_id = ${userId}::integer and (content ilike all (patterns.all) or text ilike all (patterns.all))
    order by messages.created_at desc limit ${FOUND}`;
}
