import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a temporary folder for a test run, deleted when the run ends. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-tests-'));
  // Some tests run as another user of the machine.
  chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
