import { chmod, chown, lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeDirectory, DirectoryExposedError } from '../../../src/lib/files/private-directory.ts';
import { orSkip } from '../../support/vitest/tiers.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-private-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const permissionsOf = async (path: string) => (await lstat(path)).mode & 0o7777;
describe('a private directory', () => {
  it('is closed to others, and keeps the permissions of its owner', async () => {
    let run = 0;
    await fc.assert(
      // The owner can always read it: only root could close it otherwise.
      fc.asyncProperty(fc.integer({ min: 0, max: 0o777 }), async (mode) => {
        const directory = join(folder, `run-${++run}`);
        await mkdir(directory);
        await chmod(directory, mode | 0o400);
        expect(await closeDirectory(directory)).toBeUndefined();
        expect(await permissionsOf(directory)).toBe((mode | 0o400) & 0o700);
      }),
      { numRuns: 40, seed: 20_261_122 },
    );
  });

  it('is closed without touching what is in it or behind its symbolic links', async () => {
    const [directory, outside] = [join(folder, 'linked'), join(folder, 'outside')];
    for (const path of [directory, outside]) {
      await mkdir(path);
      await writeFile(join(path, 'file'), 'text');
      await chmod(join(path, 'file'), 0o644);
      await chmod(path, 0o755);
    }
    await symlink(outside, join(directory, 'to-folder'));
    await symlink(join(outside, 'file'), join(directory, 'to-file'));
    await symlink(join(folder, 'nowhere'), join(directory, 'to-nothing'));
    expect(await closeDirectory(directory)).toBeUndefined();
    expect(await permissionsOf(directory)).toBe(0o700);
    expect(await permissionsOf(join(directory, 'file'))).toBe(0o644);
    expect(await permissionsOf(outside)).toBe(0o755);
    expect(await permissionsOf(join(outside, 'file'))).toBe(0o644);
  });

  it('may be a symbolic link itself, and may not exist', async () => {
    await mkdir(join(folder, 'real'));
    await chmod(join(folder, 'real'), 0o777);
    await symlink(join(folder, 'real'), join(folder, 'link'));
    expect(await closeDirectory(join(folder, 'link'))).toBeUndefined();
    expect(await permissionsOf(join(folder, 'real'))).toBe(0o700);
    expect(await closeDirectory(join(folder, 'missing'))).toBeUndefined();
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

  it.skipIf(!asRoot)('keeps other users from everything in it, whatever its own permissions', async () => {
    if (!asRoot) return;
    const directory = join(folder, 'closed');
    await chmod(folder, 0o755);
    await mkdir(join(directory, 'below'), { recursive: true });
    await writeFile(join(directory, 'below', 'file'), 'text');
    for (const path of ['', 'below', join('below', 'file')]) await chmod(join(directory, path), 0o777);
    await closeDirectory(directory);
    process.seteuid?.(asRoot[0]);
    try {
      await expect(readFile(join(directory, 'below', 'file'))).rejects.toThrow(/EACCES/);
    } finally {
      process.seteuid?.(0);
    }
  });
});
