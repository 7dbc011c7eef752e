import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives a run of the tests a temporary folder of its own, which goes with everything in it when the run ends. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-tests-'));
  // Some tests act as another user of the machine.
  chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
