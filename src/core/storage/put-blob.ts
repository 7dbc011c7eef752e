import { type Clock, sleep } from '../../lib/clock.ts';
import { describeError } from '../../lib/describe-error.ts';
import { isDiskFull } from '../../lib/disk-space.ts';
import type { Logger } from '../../lib/logger.ts';
import type { BlobJournal, IntendedBlob } from './blob-journal.ts';
import { type BlobLocator, BlobOutcomeUnknownError, BlobRefusedError, type BlobStore } from './blob-store.ts';
import { resealBlob, type SealedBlob } from './seal-blob.ts';
import { InsufficientStorageError, StorageUnavailableError } from './storage.ts';

export interface PutBlobDeps {
  readonly store: BlobStore;
  readonly journal: BlobJournal;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long the store may refuse. */
  readonly maxWaitMs: number;
}

/** So many answers of the store may get lost for one blob: each may leave one behind that is never removed. */
const MAX_LOST_ANSWERS = 4;
const FIRST_PAUSE_MS = 1000;
/** A blob is left alone by the sweeper for this long after the last moment in which it may be put. */
const LEASE_MARGIN_MS = 5 * 60_000;
const RETRY_UPLOAD_AFTER_MS = 60_000;

/**
 * Brings an encrypted blob into the store and its parts into the database. Waits where the store says when another try has
 * a chance; where its answer is lost the bytes are encrypted again and put under another name, never under the same.
 * @throws StorageUnavailableError; InsufficientStorageError; the signal's reason; errors of the database.
 */
export async function putBlob(deps: PutBlobDeps, sealed: SealedBlob, signal: AbortSignal): Promise<void> {
  const deadline = deps.clock.now() + deps.maxWaitMs;
  const overdue = new AbortController();
  const cancel = deps.clock.setTimer(deps.maxWaitMs, () =>
    overdue.abort(new StorageUnavailableError('The store takes nothing', RETRY_UPLOAD_AFTER_MS)),
  );
  const either = AbortSignal.any([signal, overdue.signal]);
  try {
    let blob = sealed;
    for (let lostAnswers = 1; !(await putOnce(deps, blob, deadline, either)); lostAnswers++) {
      if (lostAnswers >= MAX_LOST_ANSWERS) {
        throw new StorageUnavailableError('The answers of the store get lost', RETRY_UPLOAD_AFTER_MS);
      }
      await sleep(deps.clock, FIRST_PAUSE_MS * 2 ** (lostAnswers - 1), either);
      blob = await resealBlob(blob);
    }
  } finally {
    cancel();
  }
}

/** One name, from its row in the journal to the store's word. False where that word was lost. */
async function putOnce(deps: PutBlobDeps, sealed: SealedBlob, deadline: number, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  const { journal, store } = deps;
  const leaseMs = deadline - deps.clock.now() + LEASE_MARGIN_MS;
  const blob = await journal.intend(sealed.bytes.length, leaseMs);
  let locator: BlobLocator | undefined;
  try {
    locator = await untilTaken(deps, deadline, signal, () =>
      store.put({ name: blob.name, bytes: sealed.bytes }, signal),
    );
    return await journal.markStored(blob, locator, sealed.pieces);
  } catch (error) {
    await noteFailure(deps, blob, locator, error);
    if (error instanceof BlobOutcomeUnknownError) return false;
    if (isDiskFull(error)) throw new InsufficientStorageError({ cause: error });
    if (error instanceof BlobRefusedError) {
      const retryAfterMs = error.retryAfterMs ?? RETRY_UPLOAD_AFTER_MS;
      throw new StorageUnavailableError('The store refuses', retryAfterMs, { cause: error });
    }
    throw error;
  }
}

/** Asks again where the store has said when. */
async function untilTaken<Answer>(
  { clock, logger }: PutBlobDeps,
  deadline: number,
  signal: AbortSignal,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof BlobRefusedError) || error.retryAfterMs === undefined) throw error;
      if (signal.aborted || clock.now() + error.retryAfterMs > deadline) throw error;
      logger.info({ reason: error.message, retryAfterMs: error.retryAfterMs }, 'the store asks to wait');
      await sleep(clock, Math.max(error.retryAfterMs, FIRST_PAUSE_MS), signal).catch(() => {
        // What counts is that the blob was refused: it is surely not there.
        throw error;
      });
    }
  }
}

/** Where even this fails, the row stays as intended until its lease is over. */
async function noteFailure(
  { journal, logger }: PutBlobDeps,
  blob: IntendedBlob,
  locator: BlobLocator | undefined,
  error: unknown,
): Promise<void> {
  try {
    if (error instanceof BlobRefusedError) return await journal.forget(blob);
    logger.warn({ blob: blob.name, reason: describeError(error) }, 'a blob may be in the store, but no file uses it');
    await journal.leaveToSweeper(blob, locator);
  } catch (failure) {
    logger.error({ blob: blob.name, reason: describeError(failure) }, 'a blob could not be left to the sweeper yet');
  }
}
