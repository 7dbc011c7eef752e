import { type SQL, sql } from 'drizzle-orm';
import { toBigintArray } from '../../database/bigint-array.ts';
import type { Database } from '../../database/connect.ts';
import { type EntryKey, toEntryKey } from './entry-id.ts';
import { findLastNumber } from './last-number.ts';
import { isOwnedBy, type LibraryOwner, toScopeQuery } from './owner.ts';
import { toQueries } from './text-search.ts';
import type { Term } from './words.ts';

/** A chunk that was found. */
export interface Match {
  readonly chunkId: number;
  readonly entry: EntryKey;
}

/** Newest chunks that are considered for each condition. */
const MAX_FOUND = 300;
/** Numbers of recent chunks that are searched, until a condition has enough results. A frequent word has them at once. */
const SCOPES = [16_000, 128_000, Number.POSITIVE_INFINITY];
/** Chunks with the rarest terms, which are ranked exactly. */
const MAX_RANKED = 120;

/** Chunks that one condition of a search has found. */
interface Finding {
  readonly ids: readonly number[];
  /** Share of the owner's chunks, estimated. */
  readonly share: number;
}

/** Number of the condition that all terms occur; the terms count from 1. */
const ALL_TERMS = 0;

/**
 * Returns the chunks of an owner with most of the terms, best first. Rare terms count more than frequent ones, and a
 * term counts more if it occurs often in a short chunk or in a title.
 */
export function searchChunks(
  db: Database,
  owner: LibraryOwner,
  terms: readonly Term[],
  limit: number,
): Promise<readonly Match[]> {
  return db.transaction(async (tx) => {
    await tx.execute(SETTINGS);
    const findings = await findChunks(tx, owner, terms);
    const weights = new Map([...findings].map(([number, { share }]) => [number, Math.log(1 + 1 / share)]));
    const candidates = listCandidates(findings, weights);
    return candidates.length === 0 ? [] : rankChunks(tx, { terms, weights, candidates, limit });
  });
}

/**
 * For a frequent word, Postgres would read and decompress the words of all chunks instead of using their index. To start
 * more processes takes longer than they save.
 */
const SETTINGS = sql`select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
  set_config('max_parallel_workers_per_gather', '0', true)`;

/** Finds the newest chunks for each term, and for all terms together, by their number. Stop words find none. */
async function findChunks(
  tx: Database,
  owner: LibraryOwner,
  terms: readonly Term[],
): Promise<ReadonlyMap<number, Finding>> {
  const lastNumber = await findLastNumber(tx, owner);
  const findings = new Map<number, Finding>();
  for (const scope of SCOPES) {
    const isWhole = scope >= lastNumber;
    const done = [...findings].filter(([, { ids }]) => ids.length >= MAX_FOUND).map(([number]) => number);
    const rows = await findInScope(tx, { owner, terms, done, scopeQuery: toScopeQuery(owner, lastNumber, scope) });
    for (const [number, ids] of Map.groupBy(rows, (row) => row.number)) {
      const chunkCount = Math.max(1, Math.min(scope, lastNumber));
      findings.set(number, { ids: ids.map(({ id }) => id), share: Math.min(1, ids.length / chunkCount) });
    }
    if (isWhole) break;
  }
  return findings;
}

async function findInScope(
  tx: Database,
  {
    owner,
    terms,
    done,
    scopeQuery,
  }: {
    readonly owner: LibraryOwner;
    readonly terms: readonly Term[];
    /** Conditions with enough results. */
    readonly done: readonly number[];
    readonly scopeQuery: SQL;
  },
): Promise<readonly { readonly number: number; readonly id: number }[]> {
  const found = sql`(
    with terms as materialized (${toQueries(terms)}),
    conditions as materialized (
      select number, query from terms
      union all
      select ${ALL_TERMS}::integer, string_agg('(' || query::text || ')', ' & ')::tsquery from terms having count(*) > 1
    )
    select number, newest.id from conditions cross join lateral (
      select id from library_chunks where words @@ (${scopeQuery} && query) and ${isOwnedBy(owner)}
      order by sent_at desc, id desc limit ${MAX_FOUND}
    ) newest
    where number <> all (${toBigintArray(done)})
  )`;
  return tx
    .select({ number: sql<number>`found.number`, id: sql<number>`found.id`.mapWith(Number) })
    .from(sql`${found} as found`);
}

/** Returns the chunks with the greatest weight of the conditions that have found them. */
function listCandidates(
  findings: ReadonlyMap<number, Finding>,
  weights: ReadonlyMap<number, number>,
): readonly number[] {
  const sums = new Map<number, number>();
  for (const [number, { ids }] of findings)
    for (const id of ids) sums.set(id, (sums.get(id) ?? 0) + (weights.get(number) ?? 0));
  return [...sums]
    .toSorted(([oneId, one], [otherId, other]) => other - one || otherId - oneId)
    .slice(0, MAX_RANKED)
    .map(([id]) => id);
}

async function rankChunks(
  tx: Database,
  {
    terms,
    weights,
    candidates,
    limit,
  }: {
    readonly terms: readonly Term[];
    readonly weights: ReadonlyMap<number, number>;
    readonly candidates: readonly number[];
    readonly limit: number;
  },
): Promise<readonly Match[]> {
  const termWeights = [...weights]
    .filter(([number]) => number !== ALL_TERMS)
    .map(([number, weight]) => ({ number, weight }));
  const ranked = sql`(
    with weighted as materialized (
      select query, weight from (${toQueries(terms)}) terms
      join jsonb_to_recordset(${JSON.stringify(termWeights)}::text::jsonb) as weights (number integer, weight float8)
        using (number)
    )
    select id, message_id, position, file_id, sent_at, (
      select sum(weight * (0.5 + ts_rank(words, query, 1))) from weighted where words @@ query
    ) as score
    from library_chunks where id = any (${toBigintArray(candidates)})
  )`;
  const rows = await tx
    .select({
      chunkId: sql<number>`ranked.id`.mapWith(Number),
      messageId: sql<number>`ranked.message_id`.mapWith(Number),
      position: sql<number | null>`ranked.position`,
      fileId: sql<string | null>`ranked.file_id`,
    })
    .from(sql`${ranked} as ranked`)
    .orderBy(sql`ranked.score desc nulls last, ranked.sent_at desc, ranked.id desc`)
    .limit(limit);
  return rows.map(({ chunkId, ...columns }) => ({ chunkId, entry: toEntryKey(columns) }));
}
