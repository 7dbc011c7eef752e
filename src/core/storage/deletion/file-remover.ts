import type { Database } from '../../../database/connect.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import type { Background } from '../background.ts';
import { type RemoveBlobsDeps, removeBlobs } from '../blobs/remove-blobs.ts';
import { type FileRow, isAllowed } from '../file-rows.ts';
import type { Credential, Storage } from '../storage.ts';
import { deleteFile, type MayDelete } from './delete-file.ts';
import { type TakenDown, takeDown } from './take-down.ts';

interface FileRemoverDeps extends RemoveBlobsDeps {
  readonly db: Database;
  readonly background: Background;
  readonly findRow: (id: string) => Promise<FileRow | undefined>;
  /** Aborts when the storage closes. */
  readonly closing: AbortSignal;
}

/** Deletes files at once and their blobs in the background. The sweeper retries blobs that fail. */
export class FileRemover {
  readonly #deps: FileRemoverDeps;

  constructor(deps: FileRemoverDeps) {
    this.#deps = deps;
  }

  /** Deletes the row of a file with its key, then its blobs in the background. */
  async delete(id: string, by: Credential): ReturnType<Storage['delete']> {
    const row = await this.#deps.findRow(id);
    if (!row) return 'unknown';
    if (!isAllowed(row, by)) return 'forbidden';
    return (await this.#remove(id, (locked) => isAllowed(locked, by))) ? 'deleted' : 'unknown';
  }

  /** Deletes an upload that did not complete. Never throws. */
  async discard(id: string): Promise<void> {
    try {
      await this.#remove(id, ({ state }) => state === 'uploading');
    } catch (error) {
      this.#deps.logger.warn({ reason: describeError(error) }, 'a failed upload is left to the sweeper');
    }
  }

  /** Deletes and blocks a file with all others of the same bytes, then removes their blobs in the background. */
  async takeDown(id: string, reason: string): Promise<TakenDown | undefined> {
    const taken = await takeDown(this.#deps.db, id, reason);
    if (!taken) return undefined;
    const { blobIds, ...result } = taken;
    this.#removeSoon(blobIds);
    return result;
  }

  async #remove(id: string, mayDelete: MayDelete): Promise<boolean> {
    const deleted = await deleteFile(this.#deps.db, id, mayDelete);
    if (deleted) this.#removeSoon(deleted.blobIds);
    return Boolean(deleted);
  }

  #removeSoon(blobIds: readonly number[]): void {
    const { background, closing, logger } = this.#deps;
    const removing = removeBlobs(this.#deps, closing, blobIds).catch((error: unknown) => {
      if (!closing.aborted) logger.warn({ reason: describeError(error) }, 'blobs are left to the sweeper');
    });
    void background.run(removing);
  }
}
