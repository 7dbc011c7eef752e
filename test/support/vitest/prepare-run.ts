import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** False in `npm test`. */
    readonly isExhaustive: boolean;
  }
}

/** Creates a temporary folder for a test run, deleted when the run ends, and tells tests which run it is. */
export function setup(project: TestProject): () => void {
  project.provide('isExhaustive', project.config.tagsFilter === undefined);
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-tests-'));
  // Some tests run as another user of the machine.
  chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
