import { type Clock, sleep } from '../../../lib/clock.ts';
import { type BlobLocator, BlobMissingError, BlobRefusedError, type BlobStore } from '../blobs/blob-store.ts';
import {
  countSegments,
  createPartCipher,
  NotAuthenticError,
  type PartSecret,
  SEALED_SEGMENT_BYTES,
  SEGMENT_BYTES,
  toSealedSize,
} from '../blobs/encryption.ts';
import { FileUnreadableError, StorageUnavailableError } from '../storage.ts';

export interface ReadPartDeps {
  readonly clock: Clock;
}

/** A part of a file and its location. */
export interface StoredPart {
  readonly secret: PartSecret;
  readonly sizeBytes: number;
  readonly store: BlobStore;
  readonly locator: BlobLocator;
  readonly blobOffset: number;
}

/** Range of bytes in a part, both ends inclusive. */
export interface PartRange {
  readonly start: number;
  readonly end: number;
}

/** Maximum number of consecutive interruptions without a complete segment in between. */
const MAX_BREAKS = 3;
/** Maximum total delay that the store may request before a part opens; then the read fails with a retry time. */
const MAX_OPENING_MS = 30_000;
const FIRST_PAUSE_MS = 500;
const RETRY_READ_AFTER_MS = 15_000;

/**
 * Opens a range of a part. Resolves when the first bytes are available. Decrypts segment by segment and yields only
 * authenticated bytes. After an interruption it reopens the blob after the last good segment.
 * @throws FileUnreadableError, StorageUnavailableError, the signal's reason; the iteration throws the same.
 */
export async function openPart(
  deps: ReadPartDeps,
  part: StoredPart,
  range: PartRange,
  signal: AbortSignal,
): Promise<AsyncGenerator<Buffer>> {
  const first = Math.floor(range.start / SEGMENT_BYTES);
  const sealed = await openSegments(deps, part, first, range, signal);
  return decrypt(deps, part, range, first, sealed, signal);
}

async function* decrypt(
  deps: ReadPartDeps,
  part: StoredPart,
  range: PartRange,
  first: number,
  opened: AsyncIterable<Buffer>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const cipher = createPartCipher(part.secret);
  const segmentCount = countSegments(part.sizeBytes);
  const last = Math.floor(range.end / SEGMENT_BYTES);
  let sealed = opened;
  let breaks = 0;
  for (let index = first; index <= last; ) {
    try {
      for await (const bytes of toSegments(sealed, part, index, last)) {
        const plain = cipher.open({ index, isLast: index === segmentCount - 1 }, bytes);
        const start = index * SEGMENT_BYTES;
        index++;
        breaks = 0;
        yield plain.subarray(Math.max(range.start - start, 0), range.end - start + 1);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof NotAuthenticError) throw new FileUnreadableError('A part is damaged', { cause: error });
      breaks++;
      if (breaks >= MAX_BREAKS) throw new FileUnreadableError('A part could not be read to its end', { cause: error });
      sealed = await openSegments(deps, part, index, range, signal);
    }
  }
}

/** Opens the segments from `first` to the last one of the range. Retries after the delay that the store requests. */
async function openSegments(
  { clock }: ReadPartDeps,
  part: StoredPart,
  first: number,
  range: PartRange,
  signal: AbortSignal,
): Promise<AsyncIterable<Buffer>> {
  const skipped = first * SEALED_SEGMENT_BYTES;
  const end = toSealedSize(Math.min((Math.floor(range.end / SEGMENT_BYTES) + 1) * SEGMENT_BYTES, part.sizeBytes));
  const deadline = clock.now() + MAX_OPENING_MS;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await part.store.open(part.locator, { offset: part.blobOffset + skipped, length: end - skipped }, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof BlobMissingError) throw new FileUnreadableError('A part is missing', { cause: error });
      const pauseMs = error instanceof BlobRefusedError ? error.retryAfterMs : undefined;
      if (pauseMs === undefined || clock.now() + pauseMs > deadline) {
        const retryAfterMs = pauseMs ?? RETRY_READ_AFTER_MS;
        throw new StorageUnavailableError('A part cannot be read right now', retryAfterMs, { cause: error });
      }
      await sleep(clock, Math.max(pauseMs, FIRST_PAUSE_MS), signal);
    }
  }
}

/** Yields whole encrypted segments, each valid until the next one is requested. Throws if they end too early. */
async function* toSegments(
  chunks: AsyncIterable<Buffer>,
  part: StoredPart,
  first: number,
  last: number,
): AsyncGenerator<Buffer> {
  const gathered = Buffer.allocUnsafe(SEALED_SEGMENT_BYTES);
  const sizeOf = (index: number) =>
    Math.min(SEALED_SEGMENT_BYTES, toSealedSize(part.sizeBytes) - index * SEALED_SEGMENT_BYTES);
  let index = first;
  let filled = 0;
  for await (const chunk of chunks) {
    for (let used = 0; used < chunk.length && index <= last; ) {
      const copied = chunk.copy(gathered, filled, used, used + sizeOf(index) - filled);
      used += copied;
      filled += copied;
      if (filled < sizeOf(index)) break;
      yield gathered.subarray(0, filled);
      filled = 0;
      index++;
    }
    if (index > last) return;
  }
  throw new Error('The blob ends before its segments');
}
