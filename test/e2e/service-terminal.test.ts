import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createWorkFolder, eventually, serviceCommand } from '../support/harness/process.ts';
import { orSkip } from '../support/vitest/tiers.ts';

/** util-linux: runs a command on its own terminal. */
const SCRIPT = '/usr/bin/script';
const hasTerminal = orSkip(existsSync(SCRIPT) || undefined, `${SCRIPT} is missing: install util-linux`);

test.skipIf(!hasTerminal)('a terminal shows one line for each request, and SIGHUP ends the process', async () => {
  const folder = await createWorkFolder();
  onTestFinished(() => folder.remove());
  const command = [process.execPath, ...serviceCommand].map((word) => `'${word}'`).join(' ');
  const terminal = spawn(SCRIPT, ['-qec', `exec ${command}`, '/dev/null'], {
    cwd: folder.path,
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      DATA_DIR: join(folder.path, 'data'),
      OLLAMA_HOST: 'http://127.0.0.1:9',
      NO_COLOR: '1',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = new Promise<number | null>((resolve) => terminal.once('close', resolve));
  onTestFinished(async () => {
    terminal.kill('SIGTERM');
    await ended;
  });
  const url = await eventually(() => /OpenAI API\s+(http:\S+)\/ai\/openai/.exec(output)?.[1]);

  await fetch(`${url}/ai/openai/models`);
  const lines = await eventually(() => {
    const at = output.indexOf('request answered');
    return at < 0 || !output.slice(at).includes('\n') ? undefined : output.slice(at).split(/\r?\n/);
  });
  expect(lines[0]).toContain('"status":401');
  expect(lines.filter((line) => /^\s+\w+: /.test(line))).toEqual([]);

  const children = await readFile(`/proc/${terminal.pid}/task/${terminal.pid}/children`, 'utf8');
  process.kill(Number(children.trim()), 'SIGHUP');
  expect(await ended).toBe(0);
  expect(output).toContain('SIGHUP on a terminal: shutting down');
});
