import { execFileSync } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Small file system in memory. */
export interface SmallDisk {
  readonly path: string;
  /** Fills it with a file so that just `leftBytes` are free. Replaces an earlier file. */
  fill(leftBytes: number): Promise<void>;
  /** Removes that file. */
  empty(): Promise<void>;
  remove(): Promise<void>;
}

const MIB = 1024 * 1024;

/**
 * Mounts a tmpfs. Returns undefined without the permission to mount, which requires root and a container that allows
 * it.
 */
export async function mountSmallDisk(sizeMib: number): Promise<SmallDisk | undefined> {
  const path = await mkdtemp(join(tmpdir(), 'switchboard-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m,mode=700`, 'switchboard-test', path], {
      stdio: 'ignore',
    });
  } catch {
    await rm(path, { recursive: true });
    return undefined;
  }
  const ballast = join(path, 'ballast');
  const empty = () => rm(ballast, { force: true });
  return {
    path,
    async fill(leftBytes) {
      await empty();
      const { bavail, bsize } = await statfs(path);
      const file = await open(ballast, 'wx');
      try {
        const chunk = Buffer.alloc(MIB);
        for (let bytes = bavail * bsize - leftBytes; bytes > 0; bytes -= MIB)
          await file.write(chunk, 0, Math.min(bytes, MIB));
      } finally {
        await file.close();
      }
    },
    empty,
    async remove() {
      execFileSync('umount', ['--lazy', path]);
      await rm(path, { recursive: true });
    },
  };
}
