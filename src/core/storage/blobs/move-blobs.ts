import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { runWithin, sleep } from '../../../lib/clock.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import { releaseBuffer } from '../../../lib/files/release-buffer.ts';
import { openWrappedKey, type StorageKeys } from '../storage-keys.ts';
import type { StoredBlob } from './blob-journal.ts';
import type { BlobStores } from './blob-store.ts';
import { createPartCipher, listSegments, SEALED_SEGMENT_BYTES, toSealedSize } from './encryption.ts';
import { type PutOnceDeps, putOnce } from './put-blob.ts';

export interface MoveBlobsDeps extends PutOnceDeps {
  /** All stores; `store` takes the blobs of the others. */
  readonly stores: BlobStores;
  readonly keys: StorageKeys;
}

const BATCH = 50;
/** Time for one blob, in which both stores may ask for pauses. */
const MOVE_MS = 10 * 60_000;
/** How long the former bytes remain: the longest time a running download may still read them. */
const KEEP_MS = 24 * 60 * 60_000;
const RETRY_AFTER_MS = 10 * 60_000;
const REPORT_EVERY_MS = 60_000;

/**
 * Moves the blobs of other stores into the store, one after the other, until none is left elsewhere. The bytes stay
 * encrypted as they are. Failed blobs are tried again after ten minutes. It may end at any time, and run in several
 * processes: a copy counts once its location is recorded, and the sweeper removes the former bytes a day later, as well
 * as unused copies.
 * @throws the signal's reason; errors of the database.
 */
export async function moveBlobs(deps: MoveBlobsDeps, signal: AbortSignal): Promise<void> {
  const { journal, clock, logger, store } = deps;
  for (;;) {
    const left = await journal.countElsewhere();
    if (left.blobs === 0) return logger.info({ store: store.kind }, 'all files are in this store');
    logger.info({ store: store.kind, ...left }, 'moving files into this store');
    const failed = await moveAll(deps, signal);
    if (failed > 0) await sleep(clock, RETRY_AFTER_MS, signal);
  }
}

/** Returns the number of blobs that could not be moved. */
async function moveAll(deps: MoveBlobsDeps, signal: AbortSignal): Promise<number> {
  const { journal, clock, logger } = deps;
  let failed = 0;
  let reportedAt = clock.now();
  for (let afterId = 0; ; ) {
    const batch = await journal.listElsewhere(afterId, BATCH);
    for (const blob of batch) {
      afterId = blob.id;
      if (!(await moveBlob(deps, blob, signal))) failed++;
      if (clock.now() - reportedAt < REPORT_EVERY_MS) continue;
      reportedAt = clock.now();
      logger.info({ ...(await journal.countElsewhere()), failed }, 'files that are still to be moved');
    }
    if (batch.length < BATCH) return failed;
  }
}

/** Returns false if the blob stays where it is. */
async function moveBlob(deps: MoveBlobsDeps, blob: StoredBlob, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  const { clock, journal, logger, store } = deps;
  const deadline = clock.now() + MOVE_MS;
  const toReason = () => new Error('A store takes too long');
  try {
    if (blob.sizeBytes > store.maxBytes) throw new Error(`${store.kind} takes ${store.maxBytes} bytes at most`);
    const isMoved = await runWithin(clock, { timeoutMs: MOVE_MS, toReason, signal }, async (inTime) => {
      const bytes = await readBlob(deps, blob, inTime);
      await verifyParts(deps, blob, bytes);
      return putOnce(deps, { bytes, deadline }, inTime, (copy, locator) =>
        journal.replace(blob, copy, locator, KEEP_MS),
      );
    });
    if (!isMoved) throw new Error('The answer of the store was lost');
    return true;
  } catch (error) {
    signal.throwIfAborted();
    const facts = { store: blob.store, sizeBytes: blob.sizeBytes, reason: describeError(error) };
    logger.warn(facts, 'a blob could not be moved; retrying');
    return false;
  }
}

async function readBlob({ stores }: MoveBlobsDeps, blob: StoredBlob, signal: AbortSignal): Promise<Buffer> {
  const store = stores.get(blob.store);
  if (!store) throw new Error('Its store is not among the settings');
  if (!blob.locator) throw new Error('Its location is not known');
  const bytes = Buffer.allocUnsafe(blob.sizeBytes);
  let end = 0;
  for await (const chunk of await store.open(blob.locator, { offset: 0, length: blob.sizeBytes }, signal))
    end += chunk.copy(bytes, end);
  return bytes;
}

/** Decrypts all parts in a blob, so that a damaged reading does not take the place of the original. @throws NotAuthenticError */
async function verifyParts({ journal, keys }: MoveBlobsDeps, blob: StoredBlob, bytes: Buffer): Promise<void> {
  for (const { part, wrappedKey } of await journal.listParts(blob.id)) {
    const opened = wrappedKey && openWrappedKey(keys, part.fileId, wrappedKey);
    if (!opened) throw new Error('A file has an encryption key that is not among the settings');
    const cipher = createPartCipher({ ...part, key: opened.key });
    for (const segment of listSegments(part.sizeBytes)) {
      const start = part.blobOffset + segment.index * SEALED_SEGMENT_BYTES;
      releaseBuffer(cipher.open(segment, bytes.subarray(start, start + toSealedSize(segment.sizeBytes))));
      await yieldToEventLoop();
    }
  }
}
