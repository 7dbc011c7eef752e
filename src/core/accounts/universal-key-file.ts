import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeError } from '../../lib/describe-error.ts';
import { makeDirectory } from '../../lib/make-directory.ts';

/** Thrown when the file of the universal key can't be written; the message contains the cause. */
export class UniversalKeyFileError extends Error {
  override readonly name = 'UniversalKeyFileError';
  constructor(path: string, cause: unknown) {
    super(`The universal API key can't be stored in ${path}: ${describeError(cause)}`, { cause });
  }
}

/** Returns the key in the file; undefined if there is no readable file. */
export async function readUniversalKeyFile(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.trim() || undefined;
}

/**
 * Replaces the file, readable by its owner only. After a crash it contains the old key or the new one.
 * @throws UniversalKeyFileError
 */
export async function writeUniversalKeyFile(path: string, secret: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await makeDirectory(dirname(path));
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${secret}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw new UniversalKeyFileError(path, error);
  }
}

/** Removes the file of an invalid key. Failures are ignored: the key in it grants no access. */
export async function removeUniversalKeyFile(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => {});
}
