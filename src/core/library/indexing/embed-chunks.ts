import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { toBigintArray } from '../../../database/expressions.ts';
import { conversations, libraryChunks, messages } from '../../../database/schema/index.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import type { ChatOwner } from '../../conversations/index.ts';
import { type ModelEntry, ProviderRejectedError } from '../../models/index.ts';
import { embedTexts, type MeaningDeps, toVectorModel } from '../embed-texts.ts';
import { type EntryKey, toEntryId, toEntryKey } from '../entry-id.ts';
import { type FindEntriesDeps, findEntries } from '../find-entries.ts';
import { readChunkTexts } from '../read-texts.ts';
import { toSigns } from '../vectors.ts';

/** A chunk with the text by which its vector is made. */
interface EmbeddedChunk {
  readonly chunkId: number;
  readonly text: string;
  /** User and group that the usage is recorded for: the author of a group's conversation. */
  readonly usedBy: { readonly userId: number; readonly chatId: number | undefined };
}

interface OwnedChunk {
  readonly chunkId: number;
  readonly entry: EntryKey;
  readonly owner: ChatOwner;
  /** User who has the conversation or the file. */
  readonly userId: number | null;
}

export interface EmbedChunksDeps extends MeaningDeps, FindEntriesDeps {
  readonly logger: Logger;
}

/** Some hosts accept no more in one request. */
const REQUEST_CHUNKS = 10;
const REQUESTS_AT_ONCE = 4;
const REQUEST_TIMEOUT_MS = 60_000;
/** Shares of a chunk that are tried if the model refuses the whole, most likely for its length. */
const SHARES = [1 / 2, 1 / 4];
/** After as many refused chunks, the rest of a request is not tried. */
const MAX_REFUSED = 2;

/**
 * Gives vectors to chunks. What is written stays, also if a later chunk fails.
 * @returns false if the model has refused every chunk.
 * @throws errors of the embedding model, except refusals; the signal's reason.
 */
export async function embedChunks(
  deps: EmbedChunksDeps,
  model: ModelEntry,
  chunkIds: readonly number[],
  signal: AbortSignal,
): Promise<boolean> {
  const chunks = await readEmbeddedChunks(deps, chunkIds);
  const byUser = Map.groupBy(chunks, ({ usedBy }) => `${usedBy.userId} ${usedBy.chatId}`);
  const requests = [...byUser.values()].flatMap((ofUser) => slice(ofUser, REQUEST_CHUNKS));
  let acceptedCount = 0;
  for (const some of slice(requests, REQUESTS_AT_ONCE)) {
    signal.throwIfAborted();
    const results = await Promise.allSettled(some.map((request) => embedRequest(deps, model, request, signal)));
    for (const result of results) {
      if (result.status === 'rejected') throw result.reason;
      acceptedCount += result.value;
    }
  }
  return chunks.length === 0 || acceptedCount > 0;
}

/** Gives vectors to chunks of one user: at once or, if the model refuses that, one by one. Returns their number. */
async function embedRequest(
  deps: EmbedChunksDeps,
  model: ModelEntry,
  chunks: readonly EmbeddedChunk[],
  signal: AbortSignal,
): Promise<number> {
  if (await isAccepted(() => embed(deps, model, chunks, signal))) return chunks.length;
  if (chunks.length === 1) return (await embedInPart(deps, model, chunks, signal)) ? 1 : 0;
  let acceptedCount = 0;
  for (const [index, chunk] of chunks.entries()) {
    if (index === MAX_REFUSED && acceptedCount === 0) break;
    acceptedCount += await embedRequest(deps, model, [chunk], signal);
  }
  return acceptedCount;
}

async function embedInPart(
  deps: EmbedChunksDeps,
  model: ModelEntry,
  chunks: readonly EmbeddedChunk[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const share of SHARES) {
    const parts = chunks.map((chunk) => ({
      ...chunk,
      text: chunk.text.slice(0, Math.ceil(chunk.text.length * share)),
    }));
    if (await isAccepted(() => embed(deps, model, parts, signal))) return true;
  }
  const chunkIds = chunks.map(({ chunkId }) => chunkId);
  deps.logger.warn({ chunkIds, model: model.id }, 'the embedding model refuses a text of the library');
  return false;
}

async function embed(
  deps: EmbedChunksDeps,
  model: ModelEntry,
  chunks: readonly EmbeddedChunk[],
  signal: AbortSignal,
): Promise<void> {
  const [first] = chunks;
  if (!first) return;
  const texts = chunks.map(({ text }) => text.toWellFormed());
  const options = { model, texts, usedBy: first.usedBy, timeoutMs: REQUEST_TIMEOUT_MS };
  const vectors = await embedTexts(deps, options, signal);
  const signs = chunks.flatMap(({ chunkId }, index) => {
    const numbers = vectors[index];
    return numbers ? { chunkId, signs: toSigns(numbers) } : [];
  });
  await writeVectors(deps.db, toVectorModel(model), signs);
}

async function isAccepted(embed: () => Promise<unknown>): Promise<boolean> {
  try {
    await embed();
    return true;
  } catch (error) {
    if (error instanceof ProviderRejectedError) return false;
    throw error;
  }
}

function slice<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Writes vectors of chunks; those of chunks that were deleted meanwhile, or are just being deleted, are left out. */
async function writeVectors(
  db: Database,
  model: string,
  vectors: readonly { readonly chunkId: number; readonly signs: string }[],
): Promise<void> {
  const ids = toBigintArray(vectors.map(({ chunkId }) => chunkId));
  await db.execute(sql`
    with present as (
      select id, user_id, group_id, number from library_chunks where id = any (${ids}) for key share skip locked
    )
    insert into library_vectors (chunk_id, user_id, group_id, number, model, signs)
    select id, user_id, group_id, number, ${model}, signs::varbit
    from jsonb_to_recordset(${JSON.stringify(vectors)}::text::jsonb) as vector ("chunkId" bigint, signs text)
    join present on id = "chunkId"
    on conflict (chunk_id) do update set model = excluded.model, signs = excluded.signs`);
}

/** Returns the chunks that can be found and have a text, with the names of documents and files before it. */
async function readEmbeddedChunks(
  deps: FindEntriesDeps,
  chunkIds: readonly number[],
): Promise<readonly EmbeddedChunk[]> {
  const [rows, texts] = await Promise.all([readOwners(deps.db, chunkIds), readChunkTexts(deps.db, chunkIds)]);
  const names = await findNames(deps, rows);
  return rows.flatMap(({ chunkId, entry, owner, userId }) => {
    const id = toEntryId(entry);
    if (userId === null || !names.has(id)) return [];
    const text = [names.get(id), texts.get(chunkId)].filter((part) => part?.trim()).join('\n\n');
    const chatId = 'groupId' in owner ? owner.groupId : undefined;
    return text === '' ? [] : { chunkId, text, usedBy: { userId, chatId } };
  });
}

async function readOwners(db: Database, chunkIds: readonly number[]): Promise<readonly OwnedChunk[]> {
  const { id: chunkId, messageId, position, fileId, userId, groupId } = libraryChunks;
  const rows = await db
    .select({ chunkId, messageId, position, fileId, userId, groupId, asked: conversations.userId })
    .from(libraryChunks)
    .leftJoin(messages, eq(messages.id, messageId))
    .leftJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(sql`${chunkId} = any (${toBigintArray(chunkIds)})`);
  return rows.flatMap(({ chunkId: id, userId: ownerId, groupId: group, asked, ...columns }) => {
    const owner = ownerId !== null ? { userId: ownerId } : group !== null ? { groupId: group } : undefined;
    return owner ? { chunkId: id, entry: toEntryKey(columns), owner, userId: ownerId ?? asked } : [];
  });
}

/** Returns the names of the entries that their owners can find, by id; an empty name for messages. */
async function findNames(deps: FindEntriesDeps, chunks: readonly OwnedChunk[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const byOwner = Map.groupBy(chunks, ({ owner }) => JSON.stringify(owner));
  for (const ofOwner of byOwner.values()) {
    const [first] = ofOwner;
    const keys = ofOwner.map(({ entry }) => entry);
    if (!first) continue;
    const entries = await findEntries(deps, first.owner, keys);
    for (const { id, key, title = '' } of entries.values()) names.set(id, key.kind === 'message' ? '' : title);
  }
  return names;
}
