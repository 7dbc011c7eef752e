import { and, asc, eq, lte, or } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { files } from '../../database/schema/index.ts';
import { deleteFile } from './delete-file.ts';
import { type RemoveBlobsDeps, removeBlobs } from './remove-blobs.ts';
import type { SweepResult } from './storage.ts';
import type { UploadQuotas } from './upload-quotas.ts';

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
