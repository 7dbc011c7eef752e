import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeStartFailure } from '../../../src/cli/start-failure.ts';
import { describeError } from '../../../src/lib/errors/describe-error.ts';
import {
  checkWriteFloor,
  createDiskSpaceReader,
  DiskFullError,
  isDiskFull,
  toUploadFloor,
  WRITE_FLOOR_BYTES,
} from '../../../src/lib/files/disk-space.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

describe('free disk space', () => {
  it('is read for a folder that exists', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'switchboard-space-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const space = createDiskSpaceReader(folder)();
    expect(space?.totalBytes).toBeGreaterThan(space?.freeBytes ?? Number.NaN);
    expect(createDiskSpaceReader(join(folder, 'missing'))()).toBeUndefined();
  });

  it('has a minimum for uploads of 5 %, from 64 to 256 MiB, above the minimum for the database', () => {
    expect([GIB, 2 * GIB, 4 * GIB, 1000 * GIB].map((total) => toUploadFloor(total) / MIB)).toEqual([
      64,
      expect.closeTo(102.4, 4),
      expect.closeTo(204.8, 4),
      256,
    ]);
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (total) => {
        expect(toUploadFloor(total)).toBeGreaterThan(WRITE_FLOOR_BYTES);
      }),
      { seed: 20_261_122 },
    );
  });

  it('below the minimum for the database refuses writes; unknown space refuses none', () => {
    const space = (freeBytes: number) => () => ({ freeBytes, totalBytes: GIB });
    expect(() => checkWriteFloor(space(WRITE_FLOOR_BYTES - 1))).toThrow(DiskFullError);
    checkWriteFloor(space(WRITE_FLOOR_BYTES));
    checkWriteFloor(() => undefined);
  });
});

describe('a full disk', () => {
  const withCode = (code: string) => Object.assign(new Error('no'), { code });
  /** As the file system of PGlite throws it, which is no Error. */
  const emscripten = Object.assign(Object.create({ name: 'ErrnoError' }), { name: 'ErrnoError', errno: 51 });

  it('is recognized in the errors of the system, of Postgres and of PGlite', () => {
    for (const error of [withCode('ENOSPC'), withCode('EDQUOT'), withCode('53100'), emscripten, new DiskFullError(0)]) {
      expect(isDiskFull(error)).toBe(true);
      expect(isDiskFull(new DrizzleQueryError('select 1', [], error))).toBe(true);
    }
    for (const other of [withCode('ENOENT'), { name: 'ErrnoError', errno: 44 }, undefined, null, 'ENOSPC', 51])
      expect(isDiskFull(other)).toBe(false);
  });

  it('is described even if the thrown value is no Error', () => {
    expect(describeError(emscripten)).toBe('no space left on the disk');
    expect(describeStartFailure(emscripten).text).toBe('no space left on the disk');
    expect(describeError({ name: 'ErrnoError', errno: 44 })).toBe('ErrnoError, number 44');
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        expect(describeError(thrown)).not.toContain('[object Object]');
      }),
      { seed: 20_261_122 },
    );
  });
});
