import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createWorkFolder, runToEnd } from '../support/harness/process.ts';

/** Without the cache of the tests. */
const OWN_CACHE = { NODE_COMPILE_CACHE: '' };

test.skipIf(process.env['SERVICE_LAYOUT'] !== undefined)(
  'compiled modules are stored in DATA_DIR only if nobody else can write to it',
  async () => {
    const folder = await createWorkFolder();
    onTestFinished(() => folder.remove());
    const data = join(folder.path, 'data');
    await chmod(data, 0o770);
    await runToEnd(folder.path, ['--help'], OWN_CACHE);
    expect(await readdir(data)).toEqual(['postgres']);

    await chmod(data, 0o750);
    await runToEnd(folder.path, ['--help'], OWN_CACHE);
    expect(await readdir(data)).toEqual(['compile-cache', 'postgres']);
    expect((await stat(join(data, 'compile-cache'))).mode & 0o777).toBe(0o700);
  },
);

test('options that run nothing do not create DATA_DIR', async () => {
  const folder = await createWorkFolder({ isEmpty: true });
  onTestFinished(() => folder.remove());
  await runToEnd(folder.path, ['--help'], OWN_CACHE);
  expect(await readdir(folder.path)).toEqual([]);
});
