import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { and, eq, gt, lte, max, min, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { toBigintArray } from '../../../database/expressions.ts';
import { libraryChunks, libraryVectors } from '../../../database/schema/index.ts';
import { type ChatOwner, isOwn } from '../../conversations/index.ts';
import { toEntryKey } from '../entry-id.ts';
import { toSigns, toSimilarity } from '../vectors.ts';
import type { Match } from './search-chunks.ts';

/** Chunks that one statement compares: the embedded database blocks this thread for about 10 ms. */
const SLICE_CHUNKS = 10_000;
/** Newest chunks of an owner that are compared. */
const MAX_COMPARED = 300_000;
/** Chunks with the nearest signs, which are compared with all digits of the query's vector. */
const MAX_CANDIDATES = 100;
/** More results by meaning alone would hide those by words. */
const MAX_FOUND = 30;
/** Texts without anything in common are below it, with most models. */
const MIN_SIMILARITY = 0.12;

export interface QueryVector {
  /** Model as in `library_vectors`. */
  readonly model: string;
  readonly numbers: Float32Array;
}

/** Numbers of an owner's chunks that have a vector. */
export interface NumberRange {
  readonly first: number;
  readonly last: number;
}

/** Returns undefined if the owner has no vectors. */
export async function findVectorRange(db: Database, owner: ChatOwner): Promise<NumberRange | undefined> {
  const { number } = libraryVectors;
  const [row] = await db
    .select({ first: min(number), last: max(number) })
    .from(libraryVectors)
    .where(isOwn(libraryVectors, owner));
  return row?.first == null || row.last == null ? undefined : { first: row.first, last: row.last };
}

/** Returns the owner's chunks whose vectors are nearest to that of the query, the nearest first. */
export async function findNearestChunks(
  db: Database,
  owner: ChatOwner,
  { model, numbers }: QueryVector,
  { first, last }: NumberRange,
): Promise<readonly Match[]> {
  const signs = toSigns(numbers);
  let nearest: readonly Candidate[] = [];
  const end = Math.max(first - 1, last - MAX_COMPARED);
  for (let upTo = last; upTo > end; upTo -= SLICE_CHUNKS) {
    const slice = { first: Math.max(end, upTo - SLICE_CHUNKS) + 1, last: upTo };
    nearest = takeNearest([...nearest, ...(await compareSigns(db, owner, { model, signs }, slice))]);
    await yieldToEventLoop();
  }
  const candidates = await readCandidates(db, owner, nearest);
  return candidates
    .map(({ match, signs: of }) => ({ match, similarity: toSimilarity(numbers, of) }))
    .filter(({ similarity }) => similarity >= MIN_SIMILARITY)
    .toSorted((one, other) => other.similarity - one.similarity)
    .slice(0, MAX_FOUND)
    .map(({ match }) => match);
}

interface Candidate {
  readonly chunkId: number;
  /** Number of different signs. */
  readonly distance: number;
}

function takeNearest(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.toSorted((one, other) => one.distance - other.distance).slice(0, MAX_CANDIDATES);
}

/** Returns the chunks of a range with the nearest signs. */
async function compareSigns(
  db: Database,
  owner: ChatOwner,
  { model, signs }: { readonly model: string; readonly signs: string },
  { first, last }: NumberRange,
): Promise<readonly Candidate[]> {
  const query = db
    .$with('query')
    .as(db.select({ wanted: sql`${signs}::text::varbit`.as('wanted') }).from(sql`(select 1) one`));
  const distance = sql<number>`bit_count(${libraryVectors.signs} # (select wanted from query))::integer`;
  return db
    .with(query)
    .select({ chunkId: libraryVectors.chunkId, distance })
    .from(libraryVectors)
    .where(
      and(
        isOwn(libraryVectors, owner),
        gt(libraryVectors.number, first - 1),
        lte(libraryVectors.number, last),
        eq(libraryVectors.model, model),
        sql`length(${libraryVectors.signs}) = ${signs.length}::integer`,
      ),
    )
    .orderBy(sql`2`)
    .limit(MAX_CANDIDATES);
}

async function readCandidates(
  db: Database,
  owner: ChatOwner,
  candidates: readonly Candidate[],
): Promise<readonly { readonly match: Match; readonly signs: string }[]> {
  if (candidates.length === 0) return [];
  const { id: chunkId, messageId, position, fileId } = libraryChunks;
  const ids = toBigintArray(candidates.map((candidate) => candidate.chunkId));
  const rows = await db
    .select({ chunkId, messageId, position, fileId, signs: sql<string>`${libraryVectors.signs}::text` })
    .from(libraryChunks)
    .innerJoin(libraryVectors, eq(libraryVectors.chunkId, chunkId))
    .where(and(sql`${chunkId} = any (${ids})`, isOwn(libraryChunks, owner)));
  return rows.map(({ chunkId: id, signs, ...columns }) => ({
    match: { chunkId: id, entry: toEntryKey(columns) },
    signs,
  }));
}
