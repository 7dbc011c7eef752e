import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEmbeddedTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

const program = fileURLToPath(new URL('../support/programs/busy-database.ts', import.meta.url));
const GIB = 1024 ** 3;

let database: TestDatabase;
beforeEach(async () => {
  database = await createEmbeddedTestDatabase();
  await database.release();
});
afterEach(() => database.close());

const measurePeakMib = async (memoryBytes: number) => {
  const { config } = database;
  const directory = config.kind === 'embedded' ? config.directory : '';
  const { stdout } = await promisify(execFile)(process.execPath, [program, directory, String(memoryBytes)]);
  return Number(stdout);
};

// Only Linux reports the peak memory of a process.
it.runIf(process.platform === 'linux')(
  'the embedded database needs at most 700 MiB on a machine with little memory',
  EXHAUSTIVE,
  async () => {
    expect(await measurePeakMib(GIB)).toBeLessThan(700);
  },
);
