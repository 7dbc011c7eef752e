import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DirectoryInUseError, lockDirectory } from '../../../src/lib/files/directory-lock.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'switchboard-lock-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('one process at a time locks a folder, under any path, and other folders are free', async () => {
  const other = await mkdtemp(join(directory, 'other-'));
  await symlink(directory, join(other, 'link'));
  const unlock = await lockDirectory(directory);
  await expect(lockDirectory(join(other, 'link'))).rejects.toThrow(DirectoryInUseError);
  const unlockOther = await lockDirectory(other);
  await Promise.all([unlock(), unlockOther()]);
  await (await lockDirectory(directory))();
});

// On other systems a killed process leaves a lock file, and a process that removes it can't be sure that it is still the same.
it.runIf(process.platform === 'linux')(
  'exactly one of several processes gets the lock after its owner was killed',
  async () => {
    const module = new URL('../../../src/lib/files/directory-lock.ts', import.meta.url).href;
    const code = `const { lockDirectory } = await import(${JSON.stringify(module)});
    await lockDirectory(${JSON.stringify(directory)}); console.log('held'); setInterval(() => {}, 1000);`;
    const killed = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(killed.stdout, 'data');
    await expect(lockDirectory(directory)).rejects.toThrow(DirectoryInUseError);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const starts = await Promise.allSettled(Array.from({ length: 5 }, () => lockDirectory(directory)));
    const held = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    const refused = starts.flatMap((start) => (start.status === 'rejected' ? [start.reason] : []));
    expect([held.length, refused.filter((reason) => reason instanceof DirectoryInUseError).length]).toEqual([1, 4]);
    await held[0]?.();
  },
);
