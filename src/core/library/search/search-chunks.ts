import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { toBigintArray } from '../../../database/expressions.ts';
import type { ChatOwner } from '../../conversations/index.ts';
import { type EntryKey, toEntryKey } from '../entry-id.ts';
import { findLastNumber } from '../last-number.ts';
import { isOwnedBy, type Scope, toScope } from '../owner.ts';
import { toQueries } from './text-search.ts';
import type { Term } from './words.ts';

/** A chunk that was found. */
export interface Match {
  readonly chunkId: number;
  readonly entry: EntryKey;
}

/** Number of the condition that all terms occur. */
const ALL_TERMS = 0;
/** Newest chunks that are considered for each condition. */
const MAX_FOUND = 300;
/**
 * Numbers of recent chunks that are searched, until a condition has enough results. A frequent word has them at once, so
 * that each search reads a few thousand chunks for each condition, whatever their number.
 */
const SCOPES = [4000, 32_000, 256_000, Number.POSITIVE_INFINITY];
/** Conditions of one statement: the embedded database blocks this thread during each. */
const MAX_CONDITIONS = 4;
/** Chunks with the rarest terms, which are ranked exactly. */
const MAX_RANKED = 120;

/** One term, or all of them. */
interface Condition {
  /** Number of the term, from 1; 0 for all terms. */
  readonly number: number;
  /** Text search query. */
  readonly query: string;
}

/** Chunks that one condition of a search has found. */
interface Finding extends Condition {
  readonly ids: readonly number[];
  /** The rarer the chunks among those of the owner, the greater. */
  readonly weight: number;
}

/**
 * Returns the chunks of an owner with most of the terms, best first. Rare terms count more than frequent ones, and a
 * term counts more if it occurs often in a short chunk or in a title.
 */
export function searchChunks(
  db: Database,
  owner: ChatOwner,
  terms: readonly Term[],
  limit: number,
): Promise<readonly Match[]> {
  return db.transaction(async (tx) => {
    await tx.execute(INDEX_ONLY);
    const findings = await findChunks(tx, owner, await listConditions(tx, terms));
    const candidates = listCandidates(findings);
    return candidates.length === 0 ? [] : rankChunks(tx, { findings, candidates, limit });
  });
}

/**
 * For a frequent word, Postgres would read and decompress the words of all chunks instead of using their index. To start
 * more processes takes longer than they save.
 */
export const INDEX_ONLY = sql`select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
  set_config('max_parallel_workers_per_gather', '0', true)`;

async function listConditions(tx: Database, terms: readonly Term[]): Promise<readonly Condition[]> {
  const ofTerms = await tx
    .select({ number: sql<number>`number`, query: sql<string>`query::text` })
    .from(sql`(${toQueries(terms)}) as queries`);
  if (ofTerms.length < 2) return ofTerms;
  return [...ofTerms, { number: ALL_TERMS, query: ofTerms.map(({ query }) => `(${query})`).join(' & ') }];
}

/** Finds the newest chunks of each condition. */
async function findChunks(
  tx: Database,
  owner: ChatOwner,
  conditions: readonly Condition[],
): Promise<readonly Finding[]> {
  const lastNumber = await findLastNumber(tx, owner);
  const findings: Finding[] = [];
  let remaining = conditions;
  for (const count of SCOPES) {
    const scope = toScope(owner, lastNumber, count);
    const found: Finding[] = [];
    for (let first = 0; first < remaining.length; first += MAX_CONDITIONS)
      found.push(...(await findInScope(tx, owner, remaining.slice(first, first + MAX_CONDITIONS), scope)));
    const isDone = ({ ids }: Finding) => scope.isWhole || ids.length >= MAX_FOUND;
    findings.push(...found.filter(isDone));
    remaining = found.filter((finding) => !isDone(finding));
    if (remaining.length === 0) break;
  }
  return findings;
}

async function findInScope(
  tx: Database,
  owner: ChatOwner,
  conditions: readonly Condition[],
  scope: Scope,
): Promise<readonly Finding[]> {
  const found = sql`(
    select number, newest.id, newest.total from ${toConditionRows(conditions)} cross join lateral (
      select id, count(*) over () as total
      from library_chunks where words @@ (${scope.query} && query) and ${isOwnedBy(owner)}
      order by sent_at desc, id desc limit ${MAX_FOUND}
    ) newest
  )`;
  const rows = await tx
    .select({
      number: sql<number>`found.number`,
      id: sql<number>`found.id`.mapWith(Number),
      total: sql<number>`found.total`.mapWith(Number),
    })
    .from(sql`${found} as found`);
  const byNumber = Map.groupBy(rows, ({ number }) => number);
  return conditions.map(({ number, query }) => {
    const own = byNumber.get(number) ?? [];
    const weight = Math.log(1 + scope.chunkCount / (own[0]?.total ?? 1));
    return { number, query, ids: own.map(({ id }) => id), weight };
  });
}

function toConditionRows(conditions: readonly object[]): SQL {
  return sql`jsonb_to_recordset(${JSON.stringify(conditions)}::text::jsonb)
    as condition (number integer, query tsquery, weight float8)`;
}

/** Returns the chunks with the greatest weight of the conditions that have found them. */
function listCandidates(findings: readonly Finding[]): readonly number[] {
  const sums = new Map<number, number>();
  for (const { ids, weight } of findings) for (const id of ids) sums.set(id, (sums.get(id) ?? 0) + weight);
  return [...sums]
    .toSorted(([oneId, one], [otherId, other]) => other - one || otherId - oneId)
    .slice(0, MAX_RANKED)
    .map(([id]) => id);
}

async function rankChunks(
  tx: Database,
  {
    findings,
    candidates,
    limit,
  }: { readonly findings: readonly Finding[]; readonly candidates: readonly number[]; readonly limit: number },
): Promise<readonly Match[]> {
  const terms = findings.flatMap(({ number, query, weight }) =>
    number === ALL_TERMS ? [] : { number, query, weight },
  );
  // The concatenation decompresses the words once instead of twice for each term.
  const ranked = sql`(
    with weighted as materialized (select query, weight from ${toConditionRows(terms)})
    select id, message_id, position, file_id, sent_at, (
      select sum(weight * (0.5 + ts_rank(plain, query, 1))) from weighted where plain @@ query
    ) as score
    from library_chunks, lateral (select words || ''::tsvector as plain offset 0) decompressed
    where id = any (${toBigintArray(candidates)})
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
