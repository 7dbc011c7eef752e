import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { blockedHashes, files, parts } from '../../../database/schema/index.ts';

/** Result of a take-down. */
export interface TakenDown {
  /** Number of deleted files with the same bytes, including the named one. */
  readonly fileCount: number;
  /** Whether these bytes are blocked from now on; false if only Telegram has them. */
  readonly isBlocked: boolean;
}

/**
 * Deletes a file and all others with the same bytes, and adds the bytes to the block list, in one transaction.
 * @returns undefined if there is no such file; else the result and the blobs that held the parts.
 */
export async function takeDown(
  db: Database,
  id: string,
  reason: string,
): Promise<(TakenDown & { readonly blobIds: readonly number[] }) | undefined> {
  return db.transaction(async (tx) => {
    const [named] = await tx.select({ sha256: files.sha256 }).from(files).where(eq(files.id, id));
    if (!named) return undefined;
    const { sha256 } = named;
    if (sha256 !== null) {
      await lockContents(tx, sha256);
      await tx.insert(blockedHashes).values({ sha256, reason }).onConflictDoNothing();
    }
    const isMeant = sha256 === null ? eq(files.id, id) : eq(files.sha256, sha256);
    const rows = await tx
      .selectDistinct({ blobId: parts.blobId })
      .from(parts)
      .innerJoin(files, eq(files.id, parts.fileId))
      .where(isMeant);
    const gone = await tx.delete(files).where(isMeant).returning({ id: files.id });
    return { fileCount: gone.length, isBlocked: sha256 !== null, blobIds: rows.map(({ blobId }) => blobId) };
  });
}

/**
 * Serializes transactions that decide about files with these bytes. Without it, an upload that completes now would not
 * see the block list, and the take-down would not see the upload.
 */
export async function lockContents(tx: Database, sha256: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${sha256}, 0))`);
}
