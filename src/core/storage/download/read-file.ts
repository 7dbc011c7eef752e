import { and, asc, eq, lte, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { blobs, parts } from '../../../database/schema/index.ts';
import { releaseBuffer } from '../../../lib/files/release-buffer.ts';
import { isJsonObject } from '../../../lib/json/json.ts';
import type { BlobStores } from '../blobs/blob-store.ts';
import type { FileRow } from '../file-rows.ts';
import { type ByteRange, FileUnreadableError, type ReadOptions } from '../storage.ts';
import { openWrappedKey, type StorageKeys } from '../storage-keys.ts';
import { openPart, type PartRange, type ReadPartDeps, type StoredPart } from './read-part.ts';

export interface ReadFileDeps extends ReadPartDeps {
  readonly db: Database;
  readonly stores: BlobStores;
  readonly keys: StorageKeys;
  readonly findRow: (id: string) => Promise<FileRow | undefined>;
}

/** Range to read from one part. */
interface RangedPart {
  readonly part: StoredPart;
  readonly range: PartRange;
}

/** Reads the bytes of a file. See `Storage.read`. */
export async function readFile(
  deps: ReadFileDeps,
  id: string,
  range: ByteRange,
  signal: AbortSignal,
  options: ReadOptions = {},
): Promise<AsyncIterable<Buffer>> {
  signal.throwIfAborted();
  const row = await deps.findRow(id);
  if (!row) throw new FileUnreadableError('There is no such file');
  const rangedParts = await listRangedParts(deps, row, {
    start: range.start,
    end: Math.min(range.end, row.sizeBytes - 1),
  });
  // Closes parts that were opened and not read to the end. `return` of a generator that has not started runs no
  // `finally` block.
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const open = ({ part, range: partRange }: RangedPart) => openPart(deps, part, partRange, either);
  const openNext = async (next: RangedPart) => {
    // Some stores keep removed blobs readable for a while. A deletion ends a download on all of them alike.
    if (!(await deps.findRow(id))) throw new FileUnreadableError('The file was deleted or has expired');
    return open(next);
  };
  const prepareBehind = (index: number) => {
    for (const { part } of rangedParts.slice(index + 1, index + 1 + PREPARED_PARTS)) part.store.prepare?.(part.locator);
  };
  prepareBehind(0);
  const [first] = rangedParts;
  const bytes = first ? readAll(await open(first), rangedParts, { open: openNext, prepareBehind }) : nothing();
  return closeWith(options.areChunksBrief ? released(bytes) : bytes, () =>
    ended.abort(new Error('The reader has left')),
  );
}

/** Frees each chunk when the next one is requested. */
async function* released(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    releaseBuffer(chunk);
  }
}

async function* nothing(): AsyncGenerator<Buffer> {}

/**
 * Number of parts that the store prepares ahead. With three of 19 MiB, a download at 350 MiB/s does not wait for a
 * Telegram that takes 150 ms to return a file path.
 */
const PREPARED_PARTS = 3;

interface Opening {
  readonly open: (rangedPart: RangedPart) => Promise<AsyncGenerator<Buffer>>;
  /** Announces the next parts to the store. */
  readonly prepareBehind: (index: number) => void;
}

/**
 * Reads all parts in order; the first one is already open. Opens the next one when half of the current one has been
 * read.
 */
async function* readAll(
  opened: AsyncGenerator<Buffer>,
  rangedParts: readonly RangedPart[],
  { open, prepareBehind }: Opening,
): AsyncGenerator<Buffer> {
  let current = opened;
  for (const [index, { range }] of rangedParts.entries()) {
    prepareBehind(index);
    const next = rangedParts[index + 1];
    let opening: Promise<AsyncGenerator<Buffer>> | undefined;
    const halfBytes = (range.end - range.start + 1) / 2;
    let readBytes = 0;
    for await (const bytes of current) {
      readBytes += bytes.length;
      if (next && !opening && readBytes >= halfBytes) {
        opening = open(next);
        // The error is thrown where the promise is awaited; this handler avoids an unhandled rejection before.
        opening.catch(() => {});
      }
      yield bytes;
    }
    if (next) current = await (opening ?? open(next));
  }
}

/** Wraps the iterator so that `close` is called when it ends for any reason. */
function closeWith(bytes: AsyncGenerator<Buffer>, close: () => void): AsyncIterable<Buffer> {
  const ending = async (step: Promise<IteratorResult<Buffer>>): Promise<IteratorResult<Buffer>> => {
    try {
      const result = await step;
      if (result.done) close();
      return result;
    } catch (error) {
      close();
      throw error;
    }
  };
  const iterator: AsyncIterator<Buffer> = {
    next: () => ending(bytes.next()),
    return() {
      close();
      return ending(bytes.return(undefined));
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

/**
 * Lists the parts that cover a range.
 * @throws FileUnreadableError if there is a gap.
 */
async function listRangedParts(deps: ReadFileDeps, row: FileRow, range: ByteRange): Promise<readonly RangedPart[]> {
  if (range.end < range.start) return [];
  const rows = await deps.db
    .select({ part: parts, locator: blobs.locator, store: blobs.store })
    .from(parts)
    .innerJoin(blobs, eq(blobs.id, parts.blobId))
    .where(
      and(
        eq(parts.fileId, row.id),
        lte(parts.fileOffset, range.end),
        sql`${parts.fileOffset} + ${parts.sizeBytes} > ${range.start}`,
      ),
    )
    .orderBy(asc(parts.position));
  const key = keyOf(deps, row);
  let end = range.start;
  const rangedParts = rows.map(({ part, locator, store: kind }) => {
    if (part.fileOffset > end) throw new FileUnreadableError('A part is missing');
    const store = deps.stores.get(kind);
    if (!store || !isJsonObject(locator))
      throw new FileUnreadableError(`A part lies in a store that is not among the settings: ${kind}`);
    const start = end - part.fileOffset;
    end = Math.min(part.fileOffset + part.sizeBytes, range.end + 1);
    const secret = { key, fileId: row.id, position: part.position, noncePrefix: part.noncePrefix };
    const stored = { secret, sizeBytes: part.sizeBytes, store, locator, blobOffset: part.blobOffset };
    return { part: stored, range: { start, end: end - part.fileOffset - 1 } };
  });
  if (end !== range.end + 1) throw new FileUnreadableError('A part is missing');
  return rangedParts;
}

function keyOf({ keys }: ReadFileDeps, row: FileRow): Buffer {
  if (!row.wrappedKey) throw new FileUnreadableError('Only Telegram has the bytes of this file');
  const opened = openWrappedKey(keys, row.id, row.wrappedKey);
  if (!opened) throw new FileUnreadableError('The key of this file was made with another encryption key');
  return opened.key;
}
