import { and, asc, eq, lte, or } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { files } from '../../../database/schema/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import { type RemoveBlobsDeps, removeBlobs } from '../blobs/remove-blobs.ts';
import type { SweepResult } from '../storage.ts';
import type { UploadQuotas } from '../upload/upload-quotas.ts';
import { deleteFile } from './delete-file.ts';

export interface SweepDeps extends RemoveBlobsDeps {
  readonly db: Database;
  readonly quotas: UploadQuotas;
}

const BATCH = 100;

/**
 * Removes expired files, uploads whose process has died, and blobs that no file uses. Several processes may run it
 * concurrently: each file is deleted in its own transaction, and each blob is claimed by one process.
 */
export async function sweep(deps: SweepDeps, signal: AbortSignal): Promise<SweepResult> {
  const counts = { ready: 0, uploading: 0 };
  const now = new Date(deps.clock.now());
  const isOver = or(
    and(eq(files.state, 'ready'), lte(files.expiresAt, now)),
    and(eq(files.state, 'uploading'), lte(files.leaseUntil, now)),
  );
  for (;;) {
    signal.throwIfAborted();
    const rows = await deps.db
      .select({ id: files.id, state: files.state })
      .from(files)
      .where(isOver)
      .orderBy(asc(files.createdAt))
      .limit(BATCH);
    for (const { id, state } of rows) {
      signal.throwIfAborted();
      // The expiry or the lease may have been extended meanwhile.
      const deleted = await deleteFile(deps.db, id, (row) => {
        const end = row.state === 'ready' ? row.expiresAt : row.leaseUntil;
        return end !== null && end <= now;
      });
      if (deleted) counts[state]++;
    }
    if (rows.length < BATCH) break;
  }
  const removedBlobs = await removeBlobs(deps, signal);
  await deps.quotas.forgetOld();
  return { expiredFiles: counts.ready, abandonedUploads: counts.uploading, removedBlobs };
}

interface SweeperParams {
  readonly clock: Clock;
  readonly logger: Logger;
  /** From the end of one sweep to the beginning of the next, in milliseconds. */
  readonly everyMs: number;
  readonly sweep: (signal: AbortSignal) => Promise<SweepResult>;
}

const FIRST_MS = 5000;

/** Runs sweeps one at a time, periodically after `start`. */
export class Sweeper {
  readonly #params: SweeperParams;
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #cancel = () => {};

  constructor(params: SweeperParams) {
    this.#params = params;
  }

  start(): void {
    this.#schedule(Math.min(this.#params.everyMs, FIRST_MS));
  }

  /** Sweeps as soon as the running sweep has ended. */
  run(signal: AbortSignal): Promise<SweepResult> {
    const running = this.#last.then(() => this.#params.sweep(AbortSignal.any([signal, this.#closing.signal])));
    this.#last = running.catch(() => {});
    return running;
  }

  /** Aborts the running sweep, and resolves when it has ended. */
  async close(): Promise<void> {
    this.#cancel();
    this.#closing.abort(new Error('The service is ending'));
    await this.#last;
  }

  #schedule(delayMs: number): void {
    const { clock, logger, everyMs } = this.#params;
    const { signal } = this.#closing;
    if (signal.aborted) return;
    this.#cancel = clock.setTimer(delayMs, () => {
      this.run(signal)
        .catch((error: unknown) => {
          if (!signal.aborted) logger.error({ reason: describeError(error) }, 'the sweeper failed');
        })
        .finally(() => this.#schedule(everyMs));
    });
  }
}
