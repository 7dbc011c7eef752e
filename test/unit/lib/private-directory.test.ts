import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  closeContents,
  closeDirectory,
  DirectoryExposedError,
  type ExposedEntry,
} from '../../../src/lib/private-directory.ts';
import { orSkip } from '../../support/vitest/tiers.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-private-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const permissionsOf = async (path: string) => (await lstat(path)).mode & 0o7777;
const closeAll = async (directory: string) => {
  const exposed: ExposedEntry[] = [];
  await closeDirectory(directory);
  await closeContents(directory, (entry) => exposed.push(entry), new AbortController().signal);
  return exposed;
};

describe('a private directory', () => {
  it('is closed to others at any depth, and keeps the permissions of its owner', async () => {
    const modes = fc.integer({ min: 0, max: 0o777 });
    const trees = fc.array(fc.record({ depth: fc.integer({ min: 0, max: 4 }), mode: modes, above: modes }), {
      maxLength: 12,
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(trees, async (tree) => {
        const directory = join(folder, `run-${++run}`);
        await mkdir(directory);
        const made: { path: string; mode: number }[] = [];
        for (const [at, { depth, mode, above }] of tree.entries()) {
          const parent = join(directory, `at-${at}`, ...Array.from({ length: depth }, (_, level) => `level-${level}`));
          await mkdir(parent, { recursive: true });
          const file = join(parent, 'file');
          await writeFile(file, 'text');
          // The owner can always read them: only root could close them otherwise.
          for (const [path, bits] of [
            [file, mode | 0o400],
            [parent, above | 0o700],
          ] as const) {
            await chmod(path, bits);
            made.push({ path, mode: bits });
          }
        }
        await chmod(directory, 0o777);
        expect(await closeAll(directory)).toEqual([]);
        expect(await permissionsOf(directory)).toBe(0o700);
        for (const { path, mode } of made) expect(await permissionsOf(path)).toBe(mode & 0o700);
      }),
      { numRuns: 40, seed: 20_261_122 },
    );
  });

  it('is not left through symbolic links, which are reported', async () => {
    const [directory, outside] = [join(folder, 'linked'), join(folder, 'outside')];
    for (const path of [directory, outside]) await mkdir(path);
    await writeFile(join(outside, 'file'), 'text');
    await chmod(outside, 0o755);
    await chmod(join(outside, 'file'), 0o644);
    await symlink(outside, join(directory, 'to-folder'));
    await symlink(join(outside, 'file'), join(directory, 'to-file'));
    await symlink(join(folder, 'nowhere'), join(directory, 'to-nothing'));
    const exposed = await closeAll(directory);
    expect(exposed.map(({ path }) => path).toSorted()).toEqual(
      ['to-file', 'to-folder', 'to-nothing'].map((name) => join(directory, name)),
    );
    expect(await permissionsOf(outside)).toBe(0o755);
    expect(await permissionsOf(join(outside, 'file'))).toBe(0o644);
  });

  it('may be a symbolic link itself, and may not exist', async () => {
    await mkdir(join(folder, 'real'));
    await chmod(join(folder, 'real'), 0o777);
    await symlink(join(folder, 'real'), join(folder, 'link'));
    expect(await closeDirectory(join(folder, 'link'))).toBeUndefined();
    expect(await permissionsOf(join(folder, 'real'))).toBe(0o700);
    expect(await closeAll(join(folder, 'missing'))).toEqual([]);
    await expect(lstat(join(folder, 'missing'))).rejects.toThrow('ENOENT');
  });

  it('is refused if other programs share it', async () => {
    const shared = join(folder, 'shared');
    await mkdir(shared);
    await chmod(shared, 0o1777);
    expect(await closeDirectory(shared)).toMatchObject({ reason: 'it is shared with other programs' });
    expect(await permissionsOf(shared)).toBe(0o1777);
    expect(await closeDirectory('/')).toMatchObject({ path: '/' });
  });

  it('is checked quickly with 5000 files, and the check can be aborted', async () => {
    const directory = join(folder, 'large');
    await mkdir(directory);
    for (let at = 0; at < 5000; at += 500) {
      const part = join(directory, `part-${at}`);
      await mkdir(part);
      await Promise.all(
        Array.from({ length: 500 }, (_, number) => writeFile(join(part, `file-${number}`), '', { mode: 0o644 })),
      );
    }
    const began = performance.now();
    expect(await closeDirectory(directory)).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(1000);
    await closeContents(directory, () => {}, AbortSignal.abort());
    expect(await permissionsOf(join(directory, 'part-0', 'file-0'))).toBe(0o644);
    expect(await closeAll(directory)).toEqual([]);
    expect(performance.now() - began).toBeLessThan(20_000);
    for (const part of await readdir(directory)) {
      expect(await permissionsOf(join(directory, part))).toBe(0o700);
      expect(await permissionsOf(join(directory, part, 'file-499'))).toBe(0o600);
    }
  });

  const asRoot = orSkip(
    process.getuid?.() === 0 ? ([65_534, 65_533] as const) : undefined,
    'Folders of other users need root to be made',
  );
  it.skipIf(!asRoot)('of another user is refused if it is writable for all, else reported', async () => {
    if (!asRoot) return;
    const [self, other] = asRoot;
    const directory = join(folder, 'foreign');
    await chmod(folder, 0o755);
    await mkdir(directory);
    await chown(directory, other, other);
    await chmod(directory, 0o777);
    process.seteuid?.(self);
    try {
      await expect(closeDirectory(directory)).rejects.toThrow(DirectoryExposedError);
      process.seteuid?.(0);
      await chmod(directory, 0o755);
      process.seteuid?.(self);
      expect(await closeDirectory(directory)).toMatchObject({
        path: directory,
        reason: expect.stringMatching(/EPERM/),
      });
    } finally {
      process.seteuid?.(0);
    }
  });
});
