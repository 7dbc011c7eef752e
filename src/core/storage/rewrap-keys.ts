import { and, asc, eq, gt, isNotNull } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { files } from '../../database/schema/index.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { wrapKey } from './blobs/encryption.ts';
import { openWrappedKey, type StorageKeys } from './storage-keys.ts';

export interface RewrapDeps {
  readonly db: Database;
  readonly keys: StorageKeys;
  readonly logger: Logger;
}

const BATCH = 200;

/**
 * Encrypts the keys of all files with the present key that were encrypted with a former one. The bytes of files stay as
 * they are. It may end at any time, and run in several processes: a file has one of the keys at every moment.
 * @throws the signal's reason; errors of the database.
 */
export async function rewrapKeys({ db, keys, logger }: RewrapDeps, signal: AbortSignal): Promise<void> {
  let rewrapped = 0;
  let unreadable = 0;
  for (let afterId = ''; ; ) {
    signal.throwIfAborted();
    const rows = await db
      .select({ id: files.id, wrappedKey: files.wrappedKey })
      .from(files)
      .where(and(gt(files.id, afterId), isNotNull(files.wrappedKey)))
      .orderBy(asc(files.id))
      .limit(BATCH);
    for (const { id, wrappedKey } of rows) {
      signal.throwIfAborted();
      afterId = id;
      const found = wrappedKey && openWrappedKey(keys, id, wrappedKey);
      if (!found) unreadable++;
      else if (found.isFormer) {
        await db
          .update(files)
          .set({ wrappedKey: wrapKey(keys.wrapping, id, found.key) })
          .where(eq(files.id, id));
        rewrapped++;
      }
    }
    if (rows.length < BATCH) break;
  }
  if (unreadable === 0)
    logger.info({ rewrapped }, 'no file needs a former encryption key: FORMER_ENCRYPTION_KEYS can be removed');
  else logger.warn({ rewrapped, unreadable }, 'files have an encryption key that is not among the settings');
}
