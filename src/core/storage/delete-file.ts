import { eq } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { files, parts } from '../../database/schema/index.ts';

/** A row of a file, locked: may it go? */
export type MayDelete = (row: typeof files.$inferSelect) => boolean;

/** What has gone, and the blobs that its parts lay in: others may still need them. */
export interface DeletedFile {
  readonly id: string;
  readonly blobIds: readonly number[];
}

/**
 * In one moment a file's row, its key and its parts are gone. What refers to its bytes is returned.
 * @returns undefined where there is no such file, `false` where `mayDelete` has said no.
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
