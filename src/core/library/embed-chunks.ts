import type { Logger } from '../../lib/logger.ts';
import { type ModelEntry, ProviderRejectedError } from '../models/index.ts';
import { embedTexts, type MeaningDeps, toVectorModel } from './embed-texts.ts';
import type { FindEntriesDeps } from './find-entries.ts';
import { type EmbeddedChunk, readEmbeddedChunks } from './read-embedded-chunks.ts';
import { toSigns } from './vectors.ts';
import { writeVectors } from './write-vectors.ts';

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
