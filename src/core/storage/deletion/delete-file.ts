import { eq } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { files, parts } from '../../../database/schema/index.ts';

/** Decides on the locked row whether the file may be deleted. */
export type MayDelete = (row: typeof files.$inferSelect) => boolean;

/** A deleted file, and the blobs that held its parts. Other files may still use these blobs. */
export interface DeletedFile {
  readonly id: string;
  readonly blobIds: readonly number[];
}

/**
 * Deletes a file's row, its key and its parts in one transaction.
 * @returns undefined if there is no such file, false if `mayDelete` refuses.
 */
export async function deleteFile(
  db: Database,
  id: string,
  mayDelete: MayDelete,
): Promise<DeletedFile | false | undefined> {
  return db.transaction(async (tx) => {
    const [row] = await tx.select().from(files).where(eq(files.id, id)).for('update');
    if (!row) return undefined;
    if (!mayDelete(row)) return false;
    const rows = await tx.selectDistinct({ blobId: parts.blobId }).from(parts).where(eq(parts.fileId, id));
    await tx.delete(files).where(eq(files.id, id));
    return { id, blobIds: rows.map(({ blobId }) => blobId) };
  });
}
