import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from '../../../lib/async/once.ts';
import { hasErrorCode } from '../../../lib/errors/describe-error.ts';
import { makeDirectory } from '../../../lib/files/make-directory.ts';
import { type BlobLocator, BlobMissingError, BlobRefusedError, type BlobStore } from './blob-store.ts';

const NAME = /^[\w-]{8,64}$/;
const MAX_BYTES = 64 * 1024 * 1024;
const RETRY_AFTER_MS = 1000;
const CHUNK_BYTES = 65_536;

/**
 * Stores blobs as files, in subdirectories named after the first two characters of their names. A file gets its final
 * name only when it is complete and synced to disk; before, its name ends in `.part`.
 */
export function createDiskBlobStore({ directory }: { readonly directory: string }): BlobStore {
  const folderOf = (name: string) => join(directory, name.slice(0, 2).replaceAll('-', '_'));
  const pathOf = (name: string) => join(folderOf(name), name);

  return {
    kind: 'disk',
    maxBytes: MAX_BYTES,
    async put({ name, bytes }, signal) {
      signal.throwIfAborted();
      if (!NAME.test(name) || bytes.length > MAX_BYTES)
        throw new BlobRefusedError('This is not a blob of the disk store');
      await refusing(async () => {
        await makeDirectory(folderOf(name));
        await writeWhole(`${pathOf(name)}.part`, bytes, signal);
        await rename(`${pathOf(name)}.part`, pathOf(name));
        await syncFolder(folderOf(name));
      }, signal);
      return { name };
    },
    async open(locator, { offset, length }, signal) {
      signal.throwIfAborted();
      const file = await openExisting(pathOf(nameOf(locator)));
      try {
        const { size } = await file.stat();
        signal.throwIfAborted();
        if (size < offset + length) throw new BlobMissingError('The blob is shorter than it was');
      } catch (error) {
        await file.close();
        throw error;
      }
      return readRange(file, { offset, length }, signal);
    },
    async delete(locator, signal) {
      signal.throwIfAborted();
      await refusing(() => rm(pathOf(nameOf(locator)), { force: true }), signal);
    },
    async deleteByName(name, signal) {
      signal.throwIfAborted();
      if (!NAME.test(name)) return;
      await refusing(async () => {
        for (const path of [`${pathOf(name)}.part`, pathOf(name)]) await rm(path, { force: true });
      }, signal);
    },
  };
}

/** @throws BlobMissingError if the locator is not of this store. */
function nameOf(locator: BlobLocator): string {
  const { name } = locator;
  // The name is checked, so no database content can lead outside the directory.
  if (typeof name !== 'string' || !NAME.test(name)) throw new BlobMissingError('This locator is not of the disk');
  return name;
}

async function writeWhole(path: string, bytes: Buffer, signal: AbortSignal): Promise<void> {
  try {
    await writeFile(path, bytes, { mode: 0o600, flush: true, signal });
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** Syncs a directory. Without it, a new name may not survive a power failure. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function openExisting(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) throw new BlobMissingError('There is no such blob', { cause: error });
    throw new BlobRefusedError('The disk does not answer', { retryAfterMs: RETRY_AFTER_MS, cause: error });
  }
}

/**
 * Reads a range through one buffer. Closes the file at the end, and on abort even if the iteration was never started.
 */
function readRange(
  file: FileHandle,
  { offset, length }: { readonly offset: number; readonly length: number },
  signal: AbortSignal,
): AsyncIterable<Buffer> {
  const close = once(() => file.close().catch(() => {}));
  const onAbort = () => void close();
  signal.addEventListener('abort', onAbort, { once: true });
  return (async function* () {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, length));
    try {
      for (let position = offset; position < offset + length; ) {
        signal.throwIfAborted();
        const readLength = Math.min(buffer.length, offset + length - position);
        const { bytesRead } = await file.read(buffer, 0, readLength, position);
        if (bytesRead === 0) throw new BlobMissingError('The blob has become shorter');
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      await close();
    }
  })();
}

async function refusing<Result>(action: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw signal.aborted ? signal.reason : new BlobRefusedError('The disk does not do it', { cause: error });
  }
}
