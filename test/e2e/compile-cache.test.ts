import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CHECKOUT, createWorkFolder, LAYOUT, runToEnd } from '../support/harness/process.ts';
import { testByTier } from '../support/vitest/tiers.ts';

/** Without the cache of the tests. */
const OWN_CACHE = { NODE_COMPILE_CACHE: '' };

/** Bundles need no cache. */
const FROM_SOURCES = { root: CHECKOUT, node: process.execPath, userId: undefined };

test('compiled modules of the sources are stored in DATA_DIR only if nobody else can write to it', async () => {
  const folder = await createWorkFolder();
  onTestFinished(() => folder.remove());
  const data = join(folder.path, 'data');
  await chmod(data, 0o770);
  await runToEnd(folder.path, ['--help'], OWN_CACHE, FROM_SOURCES);
  expect(await readdir(data)).toEqual(['postgres']);

  await chmod(data, 0o750);
  await runToEnd(folder.path, ['--help'], OWN_CACHE, FROM_SOURCES);
  expect(await readdir(data)).toEqual(['compile-cache', 'postgres']);
  expect((await stat(join(data, 'compile-cache'))).mode & 0o777).toBe(0o700);
});

testByTier([LAYOUT, CHECKOUT])('options that run nothing do not create DATA_DIR: %s', async (root) => {
  const folder = await createWorkFolder({ isEmpty: true });
  onTestFinished(() => folder.remove());
  await runToEnd(folder.path, ['--help'], OWN_CACHE, { ...FROM_SOURCES, root });
  expect(await readdir(folder.path)).toEqual([]);
});
