import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readServiceCommand } from '../support/harness/process.ts';

test.each(['20.20.2', '22.18.0'])('a start on Node.js %s reports in one line what is missing', (version) => {
  const folder = mkdtempSync(join(tmpdir(), 'old-node-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const pretend = join(folder, 'pretend.cjs');
  writeFileSync(
    pretend,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
  );
  const root = join(import.meta.dirname, '../..');
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ['--require', pretend, ...readServiceCommand(root).map((word) => word.replace(/^\.\//, `${root}/`)), '--help'],
    { encoding: 'utf8', timeout: 60_000, env: { PATH: '' } },
  );
  expect(stderr).toMatch(new RegExp(`^Switchboard needs Node\\.js 24 or later; this is ${version}\\..*\\n$`));
  expect(stdout).toBe('');
  expect(status).toBe(78);
});
