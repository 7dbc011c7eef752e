import { and, asc, eq } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { blobs, blockedHashes, files, parts } from '../../../database/schema/index.ts';
import { lockContents } from '../deletion/take-down.ts';
import type { FileRow } from '../file-rows.ts';
import { FileBlockedError, StorageUnavailableError } from '../storage.ts';

const RETRY_AFTER_MS = 5000;

/** Columns that are known when all bytes are stored. */
type CompleteFile = Pick<FileRow, 'sizeBytes' | 'expiresAt' | 'downloadsLeft' | 'passwordHash' | 'isInline'> & {
  readonly sha256: string;
};

/**
 * Makes a file available, in the transaction of `tx`, if its row still exists and its stored parts cover it exactly.
 * @throws FileBlockedError if the operator has blocked these bytes.
 * @throws StorageUnavailableError if the row or a part is missing.
 */
export async function completeUpload(tx: Database, id: string, complete: CompleteFile): Promise<FileRow> {
  const isUploading = and(eq(files.id, id), eq(files.state, 'uploading'));
  const [row] = await tx.select({ id: files.id }).from(files).where(isUploading).for('update');
  if (!row) throw new StorageUnavailableError('The upload has lasted longer than its lease', RETRY_AFTER_MS);
  await lockContents(tx, complete.sha256);
  const [blocked] = await tx.select().from(blockedHashes).where(eq(blockedHashes.sha256, complete.sha256));
  if (blocked) throw new FileBlockedError('This content is blocked here');
  if (!(await isCovered(tx, id, complete.sizeBytes))) {
    throw new StorageUnavailableError('Not all parts of the file are stored', RETRY_AFTER_MS);
  }
  const [ready] = await tx
    .update(files)
    .set({ ...complete, state: 'ready', leaseUntil: null })
    .where(isUploading)
    .returning();
  if (!ready) throw new Error('A locked row has gone');
  return ready;
}

async function isCovered(tx: Database, id: string, sizeBytes: number): Promise<boolean> {
  const rows = await tx
    .select({ position: parts.position, fileOffset: parts.fileOffset, sizeBytes: parts.sizeBytes, state: blobs.state })
    .from(parts)
    .innerJoin(blobs, eq(blobs.id, parts.blobId))
    .where(eq(parts.fileId, id))
    .orderBy(asc(parts.position));
  let end = 0;
  for (const [index, part] of rows.entries()) {
    if (part.position !== index || part.fileOffset !== end || part.state !== 'stored') return false;
    end += part.sizeBytes;
  }
  return end === sizeBytes;
}
