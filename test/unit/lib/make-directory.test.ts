import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DirectoryUnusableError, makeDirectory } from '../../../src/lib/files/make-directory.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-make-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('creates missing folders, and keeps existing ones', async () => {
  const deep = join(folder, 'a', 'b', 'c');
  await makeDirectory(deep);
  await writeFile(join(deep, 'file'), 'x');
  await makeDirectory(deep);
  expect((await stat(join(deep, 'file'))).size).toBe(1);
});

it('creates the same folder several times concurrently', async () => {
  const deep = join(folder, 'd', 'e', 'f');
  await Promise.all(Array.from({ length: 8 }, () => makeDirectory(deep)));
  expect((await stat(deep)).isDirectory()).toBe(true);
});

it('names the file that is in the way', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(makeDirectory(join(folder, 'file', 'below'))).rejects.toThrow(DirectoryUnusableError);
});

it.skipIf(process.platform !== 'linux')('ends when the system refuses without a reason', async () => {
  await expect(makeDirectory('/proc/nope/a/b')).rejects.toThrow(/\/proc\/nope\/a\/b can't be created: ENOENT/);
});
