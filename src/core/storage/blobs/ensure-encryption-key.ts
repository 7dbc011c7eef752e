import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasErrorCode } from '../../../lib/errors/describe-error.ts';
import { DirectoryUnusableError, makeDirectory } from '../../../lib/files/make-directory.ts';

const KEY_BYTES = 32;

/**
 * Thrown when the file of the encryption key can't be used. The message gives the reason and no content of the file.
 */
export class EncryptionKeyError extends Error {
  override readonly name = 'EncryptionKeyError';
}

/**
 * Reads the 32-byte encryption key from a file with mode 0600. Creates the file if it does not exist. Concurrent starts
 * get the same key, and a crash leaves no partial key.
 * @throws EncryptionKeyError, DirectoryUnusableError
 */
export async function ensureEncryptionKey(path: string): Promise<Buffer> {
  return explainFailure(path, async () => (await readKey(path)) ?? (await makeKey(path)));
}

/** Reads the key; undefined if there is none yet. @throws EncryptionKeyError */
export function findEncryptionKey(path: string): Promise<Buffer | undefined> {
  return explainFailure(path, () => readKey(path));
}

async function explainFailure<Result>(path: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof EncryptionKeyError || error instanceof DirectoryUnusableError) throw error;
    throw new EncryptionKeyError(`The encryption key ${path} can't be used: ${toReason(error)}`, { cause: error });
  }
}

async function readKey(path: string): Promise<Buffer | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new EncryptionKeyError(
    `The encryption key ${path} is damaged. Files that were stored can't be read without it: restore it from a backup`,
  );
}

async function makeKey(path: string): Promise<Buffer> {
  await makeDirectory(dirname(path));
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  // Unlike a rename, a link never replaces a key that another process has created.
  await link(draft, path).catch((error: unknown) => {
    if (!hasErrorCode(error, 'EEXIST')) throw error;
  });
  await rm(draft, { force: true });
  const key = await readKey(path);
  if (!key) throw new EncryptionKeyError(`The encryption key ${path} is gone again`);
  return key;
}

function toReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
