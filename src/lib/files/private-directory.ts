import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Thrown when other users can write to a directory of the service and this process cannot change that. */
export class DirectoryExposedError extends Error {
  override readonly name = 'DirectoryExposedError';
  constructor(directory: string, ownerId: number) {
    super(
      `The folder ${directory} belongs to another user (id ${ownerId}) and every user of this machine can write to it: ` +
        'they could read and replace conversations and keys',
    );
  }
}

/** A directory that other users may be able to read or change, with the reason. */
interface ExposedDirectory {
  readonly path: string;
  readonly reason: string;
}

/** Mode bits of the group and of all other users. */
const OTHERS = 0o077;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;
const PERMISSIONS = 0o7777;
const ROOT_USER = 0;

/**
 * Removes the permissions of group and others from a directory, which protects everything in it. The owner's
 * permissions remain. A missing directory is ignored; a symbolic link is resolved.
 * @returns the directory if that is impossible, undefined if it is closed.
 * @throws DirectoryExposedError if it belongs to a user other than this one and root, and all users can write to it.
 */
export async function closeDirectory(directory: string): Promise<ExposedDirectory | undefined> {
  if (process.platform === 'win32') return undefined;
  const path = await realpath(directory).catch(ignoreMissing);
  if (path === undefined) return undefined;
  const { mode, uid } = await lstat(path);
  if ((mode & OTHERS) === 0) return undefined;
  // Closing /tmp or / would break other programs on the machine.
  if ((mode & STICKY) !== 0 || dirname(path) === path) return { path, reason: 'it is shared with other programs' };
  const exposed = await close(path);
  const isForeign = uid !== process.geteuid?.() && uid !== ROOT_USER;
  if (exposed && isForeign && (mode & WRITABLE_BY_ALL) !== 0) throw new DirectoryExposedError(path, uid);
  return exposed;
}

async function close(path: string): Promise<ExposedDirectory | undefined> {
  try {
    // Does not follow a link created in the meantime, which could point to any file of this user.
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY);
    try {
      const { mode } = await handle.stat();
      await handle.chmod(mode & PERMISSIONS & ~OTHERS);
      const { mode: newMode } = await handle.stat();
      return (newMode & OTHERS) === 0 ? undefined : { path, reason: 'its file system does not keep permissions' };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return { path, reason: error instanceof Error ? error.message : String(error) };
  }
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}
