/**
 * Runs the official client libraries of several languages against a running Switchboard:
 *
 *   npm run test:clients -- --base-url http://127.0.0.1:8080 --api-key sk-… [--model NAME] [--only python,go]
 *
 * SWITCHBOARD_URL, SWITCHBOARD_KEY and SWITCHBOARD_MODEL are alternatives to the options. Libraries are installed into
 * a temporary folder, which is deleted at the end. Languages without a toolchain are skipped. The exit code is 1 if a
 * client failed, or none ran.
 */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

interface ClientSuite {
  readonly name: string;
  /** Succeeds if the toolchain is installed. */
  readonly probe: readonly string[];
  /** Commands to run in sequence in a copy of `folder`; the last one is the client. */
  readonly commands: readonly (readonly string[])[];
  /** Folder below `clients/`; its copy is the working directory. Undefined: runs in the project itself. */
  readonly folder: string | undefined;
}

const SUITES: readonly ClientSuite[] = [
  {
    name: 'typescript',
    probe: [process.execPath, '--version'],
    commands: [[process.execPath, join(import.meta.dirname, 'typescript-client.ts')]],
    folder: undefined,
  },
  {
    name: 'python',
    probe: ['python3', '-m', 'venv', '--help'],
    commands: [
      ['python3', '-m', 'venv', 'environment'],
      ['environment/bin/pip', 'install', '--quiet', '--requirement', 'requirements.txt'],
      ['environment/bin/python', 'client.py'],
    ],
    folder: 'python',
  },
  {
    name: 'go',
    probe: ['go', 'version'],
    commands: [['go', 'run', '-mod=mod', '.']],
    folder: 'go',
  },
  {
    name: 'java',
    probe: ['mvn', '--version'],
    commands: [['mvn', '--quiet', '--batch-mode', 'compile', 'exec:java']],
    folder: 'java',
  },
];

const COMMAND_TIMEOUT_MS = 600_000;

const { values } = parseArgs({
  options: {
    'base-url': { type: 'string', default: process.env['SWITCHBOARD_URL'] ?? 'http://127.0.0.1:8080' },
    'api-key': { type: 'string', default: process.env['SWITCHBOARD_KEY'] ?? '' },
    model: { type: 'string', default: process.env['SWITCHBOARD_MODEL'] ?? '' },
    only: { type: 'string', default: SUITES.map(({ name }) => name).join(',') },
  },
});
process.exitCode = await main(values).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});

async function main(options: typeof values): Promise<number> {
  const environment = {
    ...process.env,
    SWITCHBOARD_URL: options['base-url'],
    SWITCHBOARD_KEY: options['api-key'],
    SWITCHBOARD_MODEL: options.model || (await findChatModel(options['base-url'], options['api-key'])),
  };
  const outcomes = { passed: 0, failed: 0, skipped: 0 };
  for (const suite of SUITES.filter(({ name }) => options.only.split(',').includes(name))) {
    const outcome = await runSuite(suite, environment);
    outcomes[outcome]++;
    console.log(`${outcome} ${suite.name}\n`);
  }
  console.log(`${outcomes.passed} passed, ${outcomes.failed} failed, ${outcomes.skipped} skipped`);
  return outcomes.failed > 0 || outcomes.passed === 0 ? 1 : 0;
}

/** Returns the first chat model listed by the service. */
async function findChatModel(baseUrl: string, apiKey: string): Promise<string> {
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/ai/openai/models`, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`the service answered ${response.status}: ${await response.text()}`);
  const list: { data?: { id: string; type?: string }[] } = JSON.parse(await response.text());
  const model = list.data?.find(({ type }) => type === 'chat');
  if (!model) throw new Error('the service lists no chat model; name one with --model');
  return model.id;
}

async function runSuite(suite: ClientSuite, environment: NodeJS.ProcessEnv): Promise<'passed' | 'failed' | 'skipped'> {
  console.log(`== ${suite.name}`);
  if ((await run(suite.probe, { environment, isQuiet: true })) !== 0) return 'skipped';
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-client-'));
  try {
    if (suite.folder) await cp(join(import.meta.dirname, suite.folder), directory, { recursive: true });
    for (const command of suite.commands) {
      if ((await run(command, { environment, directory })) !== 0) return 'failed';
    }
    return 'passed';
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Returns the exit code; -1 if the program is missing or timed out. */
function run(
  command: readonly string[],
  options: { readonly environment: NodeJS.ProcessEnv; readonly directory?: string; readonly isQuiet?: boolean },
): Promise<number> {
  const [program = '', ...parameters] = command;
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      cwd: options.directory,
      env: options.environment,
      stdio: options.isQuiet ? 'ignore' : ['ignore', 'inherit', 'inherit'],
      timeout: COMMAND_TIMEOUT_MS,
    });
    child.on('error', () => resolve(-1));
    child.on('close', (code) => resolve(code ?? -1));
  });
}
