import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BUILD = join(import.meta.dirname, '../../../scripts/build.ts');

/** Builds the service once for a run, because its bundles start in less than half the CPU time of its sources. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['SERVICE_LAYOUT'] !== undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-build-'));
  await promisify(execFile)(process.execPath, [BUILD, folder, '--with-packages', '--without-simulator']);
  process.env['SERVICE_LAYOUT'] = join(folder, 'switchboard');
  return () => rm(folder, { recursive: true });
}
