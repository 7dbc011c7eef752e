import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A folder is not there and can't be made; the message says why. */
export class DirectoryUnusableError extends Error {
  override readonly name = 'DirectoryUnusableError';
  constructor(directory: string, cause: unknown) {
    super(`The folder ${directory} can't be made: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/**
 * Makes a folder that only this user can enter, and those above it where they are missing. One that exists is left as it is.
 *
 * Node's own `recursive` never ends where the system says ENOENT of a folder whose parent is there, as it does below /proc.
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

/** The error where something above is missing; undefined where the folder is there now. */
async function makeUnlessParentIsMissing(directory: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(directory, PRIVATE);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return error as NodeJS.ErrnoException;
    // Where a file stands there, whoever uses the folder hears so.
    if (code !== 'EEXIST') throw error;
  }
  return undefined;
}
