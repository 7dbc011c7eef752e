import type { Logger } from '../lib/logger.ts';
import { closeContents, closeDirectory, type ExposedEntry } from '../lib/private-directory.ts';

/** Maximum number of entries named in the log; further ones are counted. */
const MAX_NAMED = 5;
const REMEDY =
  'other users of this machine may read or change it; make the user of this process its owner on a file system with permissions, or set DATA_DIR to such a folder';

/**
 * Removes other users' access to `DATA_DIR` itself. Logs a warning if that is not possible.
 * @throws DirectoryExposedError
 */
export async function closeDataDirectory({ logger }: { readonly logger: Logger }, directory: string): Promise<void> {
  const exposed = await closeDirectory(directory);
  if (exposed) logger.warn({ ...exposed }, `the permissions of DATA_DIR cannot be restricted: ${REMEDY}`);
}

/**
 * Removes other users' access to everything in `DATA_DIR`, in the background because there may be many files.
 * @returns a function that stops it and resolves when it has stopped.
 */
export function closeDataContents({ logger }: { readonly logger: Logger }, directory: string): () => Promise<void> {
  const ending = new AbortController();
  let count = 0;
  const onExposed = (entry: ExposedEntry) => {
    count++;
    if (count <= MAX_NAMED)
      logger.warn({ ...entry }, `the permissions of an entry of DATA_DIR cannot be restricted: ${REMEDY}`);
  };
  const closing = closeContents(directory, onExposed, ending.signal).then(
    () => {
      if (count > MAX_NAMED)
        logger.warn(
          { count },
          'the permissions of entries of DATA_DIR cannot be restricted; the first entries are logged above',
        );
    },
    (error: unknown) => logger.warn({ err: error }, 'entries of DATA_DIR may be accessible to other users'),
  );
  return () => {
    ending.abort();
    return closing;
  };
}
