import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Thrown when a directory does not exist and can't be created; the message contains the cause. */
export class DirectoryUnusableError extends Error {
  override readonly name = 'DirectoryUnusableError';
  constructor(directory: string, cause: unknown) {
    super(`The folder ${directory} can't be created: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/**
 * Creates a directory, and missing parents, that only this user can access. An existing directory is left unchanged.
 *
 * Node's own `recursive` option loops forever if the system reports ENOENT although the parent exists, as below /proc.
 * @throws DirectoryUnusableError
 */
export async function makeDirectory(directory: string): Promise<void> {
  try {
    await makeWithParents(directory);
  } catch (error) {
    throw new DirectoryUnusableError(directory, error);
  }
}

const PRIVATE = { mode: 0o700 };

async function makeWithParents(directory: string): Promise<void> {
  const missing = await makeUnlessParentIsMissing(directory);
  if (!missing) return;
  const parent = dirname(directory);
  if (parent === directory) throw missing;
  await makeWithParents(parent);
  const stillMissing = await makeUnlessParentIsMissing(directory);
  if (stillMissing) throw stillMissing;
}

/** Creates a directory. Returns the error if its parent is missing, undefined if the directory exists now. */
async function makeUnlessParentIsMissing(directory: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(directory, PRIVATE);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return error as NodeJS.ErrnoException;
    // If the path is a file, using it as a directory fails later.
    if (code !== 'EEXIST') throw error;
  }
  return undefined;
}
