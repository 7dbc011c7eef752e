import { spawn } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import type { ClientReport } from './matrix.ts';
import type { ClientProgram } from './programs.ts';
import { CACHE } from './report-file.ts';
import type { Service } from './service.ts';

const COMMAND_TIMEOUT_MS = 600_000;

/**
 * Installs and runs a client. It gets the service and its models in environment variables `SWITCHBOARD_…`, and prints
 * `version …` and a line for each operation: `ok chat`, or `failed chat: reason`. An operation whose model the service
 * lacks has no variable and is left out.
 */
export async function runClient(
  { name, probe, install, command }: ClientProgram,
  { url, key }: Service,
  models: ReadonlyMap<string, string>,
): Promise<ClientReport> {
  console.log(`\n== ${name}`);
  const operations = new Map<string, boolean>();
  const report = { client: name, version: undefined as string | undefined, operations };
  const directory = join(CACHE, name);
  if ((await run(probe, { environment: process.env, isQuiet: true })) !== 0) {
    return { ...report, remark: `skipped: ${probe[0]} is missing` };
  }
  await mkdir(directory, { recursive: true });
  await cp(join(import.meta.dirname, name), directory, { recursive: true });
  for (const step of install) {
    if ((await run(step, { environment: process.env, directory })) !== 0) {
      operations.set('install', false);
      return { ...report, remark: `failed: ${step.join(' ')}` };
    }
  }
  const environment = {
    ...process.env,
    SWITCHBOARD_URL: url,
    SWITCHBOARD_KEY: key,
    ...Object.fromEntries([...models].map(([type, id]) => [`SWITCHBOARD_${type.toUpperCase()}_MODEL`, id])),
  };
  const code = await run(command, {
    environment,
    directory,
    onLine: (line) => {
      const [, word, rest = ''] = /^(version|ok|failed) ([^:]+)/.exec(stripVTControlCharacters(line)) ?? [];
      if (word === 'version') report.version = rest;
      else if (word) operations.set(rest, word === 'ok');
    },
  });
  const hasFailed = [...operations.values()].includes(false);
  if (code === 0 || hasFailed) return { ...report, remark: undefined };
  operations.set('exit', false);
  return { ...report, remark: `exit code ${code}` };
}

interface RunOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly directory?: string;
  readonly isQuiet?: boolean;
  readonly onLine?: (line: string) => void;
}

/** Returns the exit code; -1 if the program is missing or timed out. */
function run([program = '', ...parameters]: readonly string[], options: RunOptions): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      cwd: options.directory,
      env: options.environment,
      stdio: ['ignore', options.isQuiet ? 'ignore' : 'pipe', options.isQuiet ? 'ignore' : 'inherit'],
      signal: AbortSignal.timeout(COMMAND_TIMEOUT_MS),
    });
    child.on('error', () => resolve(-1));
    child.on('close', (code) => resolve(code ?? -1));
    if (!child.stdout) return;
    createInterface(child.stdout).on('line', (line) => {
      console.log(line);
      options.onLine?.(line);
    });
  });
}
