import { type Clock, runWithin, sleep } from '../../../lib/clock.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import { isDiskFull } from '../../../lib/files/disk-space.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import { InsufficientStorageError, StorageUnavailableError } from '../storage.ts';
import type { BlobJournal, IntendedBlob } from './blob-journal.ts';
import { type BlobLocator, BlobOutcomeUnknownError, BlobRefusedError, type BlobStore } from './blob-store.ts';
import { resealBlob, type SealedBlob } from './seal-blob.ts';

export interface PutOnceDeps {
  readonly store: BlobStore;
  readonly journal: BlobJournal;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface PutBlobDeps extends PutOnceDeps {
  /** How long to retry while the store refuses. */
  readonly maxWaitMs: number;
}

/** Maximum number of lost responses for one blob. Each may leave a blob in the store that is never removed. */
const MAX_LOST_ANSWERS = 4;
const FIRST_PAUSE_MS = 1000;
/** Added to the lease: the sweeper ignores a blob until this long after the last possible `put`. */
const LEASE_MARGIN_MS = 5 * 60_000;
export const RETRY_UPLOAD_AFTER_MS = 60_000;

/**
 * Puts an encrypted blob into the store and records its parts. Retries after the delay that the store requests. If the
 * response was lost, encrypts the bytes again and puts them under a new name.
 * @throws StorageUnavailableError; InsufficientStorageError; the signal's reason; errors of the database.
 */
export async function putBlob(deps: PutBlobDeps, sealed: SealedBlob, signal: AbortSignal): Promise<void> {
  const deadline = deps.clock.now() + deps.maxWaitMs;
  const toReason = () => new StorageUnavailableError('The store takes nothing', RETRY_UPLOAD_AFTER_MS);
  await runWithin(deps.clock, { timeoutMs: deps.maxWaitMs, toReason, signal }, async (inTime) => {
    let blob = sealed;
    const put = () =>
      putOnce(deps, { bytes: blob.bytes, deadline }, inTime, (intended, locator) =>
        deps.journal.markStored(intended, locator, blob.parts),
      );
    for (let lostAnswers = 1; !(await put()); lostAnswers++) {
      if (lostAnswers >= MAX_LOST_ANSWERS) {
        throw new StorageUnavailableError('The answers of the store get lost', RETRY_UPLOAD_AFTER_MS);
      }
      await sleep(deps.clock, FIRST_PAUSE_MS * 2 ** (lostAnswers - 1), inTime);
      blob = await resealBlob(blob);
    }
  });
}

interface Put {
  readonly bytes: Buffer;
  /** Unix milliseconds until which the store may refuse. */
  readonly deadline: number;
}

/**
 * Puts bytes once, under a new name from the journal, and lets `record` store the location.
 * @returns what `record` returns: false if the lease had ended; false if the response was lost.
 * @throws the errors of `putBlob`.
 */
export async function putOnce(
  deps: PutOnceDeps,
  { bytes, deadline }: Put,
  signal: AbortSignal,
  record: (blob: IntendedBlob, locator: BlobLocator) => Promise<boolean>,
): Promise<boolean> {
  signal.throwIfAborted();
  const { journal, store } = deps;
  const leaseMs = deadline - deps.clock.now() + LEASE_MARGIN_MS;
  const blob = await journal.intend(bytes.length, leaseMs);
  let locator: BlobLocator | undefined;
  try {
    locator = await untilTaken(deps, deadline, signal, () => store.put({ name: blob.name, bytes }, signal));
    return await record(blob, locator);
  } catch (error) {
    await recordFailure(deps, blob, locator, error);
    if (error instanceof BlobOutcomeUnknownError) return false;
    if (isDiskFull(error)) throw new InsufficientStorageError({ cause: error });
    if (error instanceof BlobRefusedError) {
      const retryAfterMs = error.retryAfterMs ?? RETRY_UPLOAD_AFTER_MS;
      throw new StorageUnavailableError('The store refuses', retryAfterMs, { cause: error });
    }
    throw error;
  }
}

/** Retries after the delay that the store requests, until the deadline. */
async function untilTaken<Answer>(
  { clock, logger }: PutOnceDeps,
  deadline: number,
  signal: AbortSignal,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof BlobRefusedError) || error.retryAfterMs === undefined || error.isOutage) throw error;
      if (signal.aborted || clock.now() + error.retryAfterMs > deadline) throw error;
      logger.info(
        { reason: error.message, retryAfterMs: error.retryAfterMs },
        'the blob store is rate limited; waiting',
      );
      await sleep(clock, Math.max(error.retryAfterMs, FIRST_PAUSE_MS), signal).catch(() => {
        // The refusal is the more precise error: it says that the blob is not stored.
        throw error;
      });
    }
  }
}

/** Updates the journal after a failed `put`. If this fails, too, the row stays as it is until its lease ends. */
async function recordFailure(
  { journal, logger }: PutOnceDeps,
  blob: IntendedBlob,
  locator: BlobLocator | undefined,
  error: unknown,
): Promise<void> {
  try {
    if (error instanceof BlobRefusedError) return await journal.forget(blob);
    logger.warn({ blob: blob.name, reason: describeError(error) }, 'a blob may be in the store, but no file uses it');
    await journal.leaveToSweeper(blob, locator);
  } catch (failure) {
    logger.error(
      { blob: blob.name, reason: describeError(failure) },
      'a blob could not be marked for the sweeper; retrying',
    );
  }
}
