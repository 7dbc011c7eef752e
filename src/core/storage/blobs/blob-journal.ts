import { and, asc, count, eq, exists, gt, inArray, lte, ne, notExists, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { blobs, files, parts } from '../../../database/schema/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { createId } from '../../../lib/ids.ts';
import { isJsonObject } from '../../../lib/json/json.ts';
import type { BlobLocator } from './blob-store.ts';
import type { SealedPart } from './seal-blob.ts';

/** A blob that is about to be put into the store. */
export interface IntendedBlob {
  readonly id: number;
  readonly name: string;
  readonly sizeBytes: number;
  readonly leaseUntil: Date;
}

/** A blob that its store has confirmed. */
export interface StoredBlob {
  readonly id: number;
  /** Kind of its store. */
  readonly store: string;
  /** Undefined if the row is damaged. */
  readonly locator: BlobLocator | undefined;
  readonly sizeBytes: number;
}

/** A blob without parts, claimed for removal by this process. */
export interface RemovableBlob {
  readonly id: number;
  readonly name: string;
  readonly leaseUntil: Date;
  /** Kind of its store. */
  readonly store: string;
  /** Undefined if the store never returned a locator. */
  readonly locator: BlobLocator | undefined;
}

/** Which blobs to claim for removal. */
interface RemovableQuery {
  /** Kinds of the stores that hold them. */
  readonly stores: readonly string[];
  readonly leaseMs: number;
  readonly limit: number;
  /** Default: all blobs of the stores. */
  readonly ids?: readonly number[] | undefined;
}

/** Journal of every `put`. It survives the process, so a blob whose locator is known is never lost. */
export type BlobJournal = ReturnType<typeof createBlobJournal>;

/** @param deps `storeKind` is the kind of the store that takes new blobs. */
export function createBlobJournal(deps: { readonly db: Database; readonly clock: Clock; readonly storeKind: string }) {
  const { db, clock, storeKind } = deps;
  const isHeld = (blob: Pick<IntendedBlob, 'id' | 'leaseUntil'>) =>
    and(eq(blobs.id, blob.id), eq(blobs.leaseUntil, blob.leaseUntil));
  const isElsewhere = () =>
    and(
      ne(blobs.store, storeKind),
      eq(blobs.state, 'stored'),
      exists(db.select({ one: sql`1` }).from(parts).where(eq(parts.blobId, blobs.id))),
    );
  /** Ends the lease of an unused blob. The sweeper removes its row, and the blob itself if its locator is known. */
  const leaveToSweeper = async (blob: IntendedBlob, locator: BlobLocator | undefined): Promise<void> => {
    const leaseUntil = new Date(clock.now());
    if (!locator) {
      await db.update(blobs).set({ leaseUntil }).where(isHeld(blob));
      return;
    }
    const stored = { state: 'stored' as const, locator, leaseUntil };
    await db
      .insert(blobs)
      .values({ ...stored, store: storeKind, name: blob.name, sizeBytes: blob.sizeBytes })
      .onConflictDoUpdate({ target: blobs.name, set: stored });
  };

  return {
    /** Records a blob before the `put`. The sweeper ignores it for `leaseMs`. */
    async intend(sizeBytes: number, leaseMs: number): Promise<IntendedBlob> {
      const intended = { name: createId(), sizeBytes, leaseUntil: new Date(clock.now() + leaseMs) };
      const [row] = await db
        .insert(blobs)
        .values({ ...intended, store: storeKind, state: 'intended' })
        .returning({ id: blobs.id });
      if (!row) throw new Error('A blob was not stored in the journal');
      return { ...intended, id: row.id };
    },
    /**
     * Records the locator and the parts in one transaction. Parts of uploads that have ended are left out.
     * @returns false if the lease had ended and the sweeper has claimed the blob: no parts are recorded, and the sweeper
     * removes the blob.
     */
    async markStored(blob: IntendedBlob, locator: BlobLocator, sealedParts: readonly SealedPart[]): Promise<boolean> {
      const stored = { state: 'stored' as const, locator, leaseUntil: new Date(clock.now()) };
      const isOwn = await db.transaction(async (tx) => {
        // If the sweeper has claimed the blob, its lease differs.
        const [own] = await tx.update(blobs).set(stored).where(isHeld(blob)).returning({ id: blobs.id });
        if (own) await insertParts(tx, own.id, sealedParts);
        return own !== undefined;
      });
      if (!isOwn) await leaveToSweeper(blob, locator);
      return isOwn;
    },
    leaveToSweeper,
    /** Lists blobs with parts in stores of other kinds, by id from `afterId`. */
    async listElsewhere(afterId: number, limit: number): Promise<readonly StoredBlob[]> {
      const rows = await db
        .select({ id: blobs.id, store: blobs.store, locator: blobs.locator, sizeBytes: blobs.sizeBytes })
        .from(blobs)
        .where(and(gt(blobs.id, afterId), isElsewhere()))
        .orderBy(asc(blobs.id))
        .limit(limit);
      return rows.map(({ locator, ...row }) => ({ ...row, locator: isJsonObject(locator) ? locator : undefined }));
    },
    /** Lists the parts in a blob, with the encrypted keys of their files. */
    listParts: (blobId: number) =>
      db
        .select({ part: parts, wrappedKey: files.wrappedKey })
        .from(parts)
        .innerJoin(files, eq(files.id, parts.fileId))
        .where(eq(parts.blobId, blobId)),
    /** Counts the blobs of `listElsewhere`. */
    async countElsewhere(): Promise<{ readonly blobs: number; readonly bytes: number }> {
      const [row] = await db
        .select({ blobs: count(), bytes: sql`coalesce(sum(${blobs.sizeBytes}), 0)`.mapWith(Number) })
        .from(blobs)
        .where(isElsewhere());
      return row ?? { blobs: 0, bytes: 0 };
    },
    /**
     * Records the locator of a copy, and gives it the parts of the blob that was copied, whose bytes remain for
     * `keepMs`: downloads may be reading them.
     * @returns false if the lease of the copy had ended: nothing was changed, and the sweeper removes the copy.
     */
    async replace(former: StoredBlob, copy: IntendedBlob, locator: BlobLocator, keepMs: number): Promise<boolean> {
      const now = clock.now();
      const stored = { state: 'stored' as const, locator, leaseUntil: new Date(now) };
      const isOwn = await db.transaction(async (tx) => {
        const [own] = await tx.update(blobs).set(stored).where(isHeld(copy)).returning({ id: blobs.id });
        if (!own) return false;
        const leaseUntil = new Date(now + keepMs);
        await tx.update(blobs).set({ leaseUntil }).where(eq(blobs.id, former.id));
        await tx.update(parts).set({ blobId: own.id }).where(eq(parts.blobId, former.id));
        return true;
      });
      if (!isOwn) await leaveToSweeper(copy, locator);
      return isOwn;
    },
    /** Removes the row, unless another process has changed its lease. */
    async forget(blob: Pick<IntendedBlob, 'id' | 'leaseUntil'>): Promise<void> {
      await db.delete(blobs).where(isHeld(blob));
    },
    /**
     * Claims blobs without parts whose lease has ended, oldest lease first. No other process claims them for `leaseMs`.
     */
    async claimRemovable({ stores, leaseMs, limit, ids }: RemovableQuery): Promise<readonly RemovableBlob[]> {
      const now = clock.now();
      const hasNoParts = notExists(db.select({ one: sql`1` }).from(parts).where(eq(parts.blobId, blobs.id)));
      const isRemovable = and(
        inArray(blobs.store, [...stores]),
        lte(blobs.leaseUntil, new Date(now)),
        ids && inArray(blobs.id, [...ids]),
        hasNoParts,
      );
      const rows = await db.transaction(async (tx) => {
        const candidates = await tx
          .select({ id: blobs.id })
          .from(blobs)
          .where(isRemovable)
          .orderBy(asc(blobs.leaseUntil))
          .limit(limit)
          .for('update', { skipLocked: true });
        const lockedIds = candidates.map(({ id }) => id);
        if (lockedIds.length === 0) return [];
        // The SELECT does not see parts inserted between its snapshot and its locks; this statement does.
        return tx
          .update(blobs)
          .set({ leaseUntil: new Date(now + leaseMs) })
          .where(and(inArray(blobs.id, lockedIds), hasNoParts))
          .returning();
      });
      return rows.map(({ id, name, leaseUntil, store, locator }) => ({
        id,
        name,
        leaseUntil,
        store,
        locator: isJsonObject(locator) ? locator : undefined,
      }));
    },
  };
}

async function insertParts(db: Database, blobId: number, sealedParts: readonly SealedPart[]): Promise<void> {
  const fileIds = [...new Set(sealedParts.map(({ part }) => part.fileId))];
  // The lock lasts until the parts are inserted. A file that is deleted afterwards deletes its parts by cascade.
  const rows = await db
    .select({ id: files.id })
    .from(files)
    .where(and(inArray(files.id, fileIds), eq(files.state, 'uploading')))
    .for('key share');
  const uploadingIds = new Set(rows.map((row) => row.id));
  const recordedParts = sealedParts.filter(({ part }) => uploadingIds.has(part.fileId));
  if (recordedParts.length === 0) return;
  await db.insert(parts).values(
    recordedParts.map(({ part, blobOffset, noncePrefix }) => ({
      fileId: part.fileId,
      position: part.position,
      fileOffset: part.fileOffset,
      sizeBytes: part.sizeBytes,
      blobId,
      blobOffset,
      noncePrefix,
    })),
  );
}

/** Counts the blobs of one kind of store by journal state. `intended` and `stored` are always present. */
export async function countBlobs(db: Database, storeKind: string): Promise<Readonly<Record<string, number>>> {
  const rows = await db
    .select({ state: blobs.state, count: sql<number>`count(*)`.mapWith(Number) })
    .from(blobs)
    .where(eq(blobs.store, storeKind))
    .groupBy(blobs.state);
  return { intended: 0, stored: 0, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) };
}
