import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { EncryptionKeyError, ensureEncryptionKey } from '../../../../src/core/storage/index.ts';

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-key-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

it('creates a key that only its owner can read, and finds it again', async () => {
  const path = join(await createFolder(), 'data', 'encryption.key');
  const key = await ensureEncryptionKey(path);
  expect(key).toHaveLength(32);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await ensureEncryptionKey(path)).toEqual(key);
});

it('returns the same key to all processes that start at the same time, and leaves nothing else', async () => {
  const folder = await createFolder();
  const path = join(folder, 'encryption.key');
  const keys = await Promise.all(Array.from({ length: 20 }, () => ensureEncryptionKey(path)));
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
  expect(await readdir(folder)).toEqual(['encryption.key']);
});

it('never replaces a damaged key, and does not repeat its content', async () => {
  const path = join(await createFolder(), 'encryption.key');
  await writeFile(path, 'half-of-a-secret');
  const error = await ensureEncryptionKey(path).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(EncryptionKeyError);
  expect(String(error)).toMatch(/damaged(?!.*secret)/);
  expect(await readFile(path, 'utf8')).toBe('half-of-a-secret');
});

it('names the file that can not be used', async () => {
  const folder = await createFolder();
  await writeFile(join(folder, 'file'), '');
  await expect(ensureEncryptionKey(join(folder, 'file', 'encryption.key'))).rejects.toThrow(
    /encryption\.key can't be used/,
  );
});
