import { constants } from 'node:fs';
import { type FileHandle, lstat, open, opendir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';

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

/** An entry that other users may be able to read or change, with the reason. */
export interface ExposedEntry {
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
export async function closeDirectory(directory: string): Promise<ExposedEntry | undefined> {
  if (process.platform === 'win32') return undefined;
  const path = await realpath(directory).catch(ignoreMissing);
  if (path === undefined) return undefined;
  const { mode, uid } = await lstat(path);
  // Closing /tmp or / would break other programs on the machine.
  if ((mode & STICKY) !== 0 || dirname(path) === path)
    return (mode & OTHERS) === 0 ? undefined : { path, reason: 'it is shared with other programs' };
  const exposed = await closeEntry(path);
  const isForeign = uid !== process.geteuid?.() && uid !== ROOT_USER;
  if (exposed && isForeign && (mode & WRITABLE_BY_ALL) !== 0) throw new DirectoryExposedError(path, uid);
  return exposed;
}

/**
 * Removes the permissions of group and others from everything in a directory, parents before their entries. Symbolic
 * links are neither followed nor changed. Entries that disappear in the meantime are skipped. Memory does not grow with
 * their number.
 * @param onExposed called for each entry that could not be closed, and each symbolic link.
 */
export async function closeContents(
  directory: string,
  onExposed: (entry: ExposedEntry) => void,
  signal: AbortSignal,
): Promise<void> {
  if (process.platform === 'win32') return;
  const path = await realpath(directory).catch(ignoreMissing);
  if (path !== undefined) await closeEntriesOf(path, onExposed, signal);
}

async function closeEntriesOf(directory: string, onExposed: (entry: ExposedEntry) => void, signal: AbortSignal) {
  const entries = await opendir(directory).catch((error: unknown) => {
    // Such as `lost+found` of a volume, which this user can't read either.
    if (!hasCode(error, 'EACCES', 'ENOENT')) onExposed({ path: directory, reason: toReason(error) });
    return undefined;
  });
  if (!entries) return;
  for await (const entry of entries) {
    if (signal.aborted) return;
    const path = join(directory, entry.name);
    const exposed = await closeEntry(path);
    if (exposed) onExposed(exposed);
    if (entry.isDirectory()) await closeEntriesOf(path, onExposed, signal);
  }
}

/** Closes one file or directory. Returns undefined if it is closed or gone. */
async function closeEntry(path: string): Promise<ExposedEntry | undefined> {
  try {
    const { mode } = await lstat(path);
    if ((mode & constants.S_IFMT) === constants.S_IFLNK) return { path, reason: 'it is a symbolic link' };
    if ((mode & OTHERS) === 0) return undefined;
    // Does not follow a link created in the meantime, which could point to any file of this user.
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return await closeHandle(handle, path);
    } finally {
      await handle.close();
    }
  } catch (error) {
    return hasCode(error, 'ENOENT') ? undefined : { path, reason: toReason(error) };
  }
}

async function closeHandle(handle: FileHandle, path: string): Promise<ExposedEntry | undefined> {
  const { mode } = await handle.stat();
  await handle.chmod(mode & PERMISSIONS & ~OTHERS);
  const { mode: newMode } = await handle.stat();
  return (newMode & OTHERS) === 0 ? undefined : { path, reason: 'its file system does not keep permissions' };
}

function ignoreMissing(error: unknown): undefined {
  if (hasCode(error, 'ENOENT')) return undefined;
  throw error;
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

function toReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
