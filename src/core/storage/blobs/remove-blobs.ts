import { type Clock, runWithin } from '../../../lib/clock.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import type { BlobJournal, RemovableBlob } from './blob-journal.ts';
import type { BlobStores } from './blob-store.ts';

export interface RemoveBlobsDeps {
  readonly stores: BlobStores;
  readonly journal: BlobJournal;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Delay before a failed removal is retried. */
const RETRY_AFTER_MS = 10 * 60_000;
const BATCH = 50;
/** Timeout of one call to the store. */
const TIMEOUT_MS = 60_000;

/**
 * Removes blobs that hold no parts, all or only those of `ids`. A failure does not stop the others; it is retried
 * later. If the locator is unknown and the store can't find blobs by name, only the row is removed.
 * @returns the number of removed rows.
 * @throws the signal's reason, errors of the database.
 */
export async function removeBlobs(
  deps: RemoveBlobsDeps,
  signal: AbortSignal,
  ids?: readonly number[],
): Promise<number> {
  let removedCount = 0;
  for (;;) {
    signal.throwIfAborted();
    if (ids?.length === 0) return removedCount;
    const claimed = await deps.journal.claimRemovable({
      stores: [...deps.stores.keys()],
      leaseMs: RETRY_AFTER_MS,
      limit: BATCH,
      ...(ids && { ids }),
    });
    for (const blob of claimed) if (await removeBlob(deps, blob, signal)) removedCount++;
    // Failed blobs have a new lease, so the next round gets others.
    if (claimed.length < BATCH) return removedCount;
  }
}

async function removeBlob(deps: RemoveBlobsDeps, blob: RemovableBlob, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  const store = deps.stores.get(blob.store);
  const toReason = () => new Error('The store does not answer');
  try {
    if (!store) throw new Error(`There is no store ${blob.store}`);
    await runWithin(deps.clock, { timeoutMs: TIMEOUT_MS, toReason, signal }, async (inTime) =>
      blob.locator ? store.delete(blob.locator, inTime) : store.deleteByName?.(blob.name, inTime),
    );
    await deps.journal.forget(blob);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    const facts = { blob: blob.name, reason: describeError(error) };
    deps.logger.warn(facts, 'a blob could not be removed; retrying');
    return false;
  }
}
