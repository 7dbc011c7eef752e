import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readAllowedCores } from './process-usage.ts';

/** CPU core of each process; undefined: not pinned. */
export interface Cores {
  readonly target: number | undefined;
  readonly client: number | undefined;
  readonly provider: number | undefined;
}

export interface StartOptions {
  /** CPU core to pin to; undefined: not pinned. */
  readonly core: number | undefined;
  readonly directory?: string | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

const END_TIMEOUT_MS = 10_000;
const hasTaskset = spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;

/** Chooses a separate core for the target. With only two cores, client and provider share one. */
export function chooseCores(): Cores {
  const [target, client, provider = client] = hasTaskset ? readAllowedCores() : [];
  return client === undefined
    ? { target: undefined, client: undefined, provider: undefined }
    : { target, client, provider };
}

/**
 * Starts a Node program with an IPC channel and only the given environment, so that no API keys of the caller reach a
 * target. Standard output is dropped, standard error is not.
 */
export function startNode(parameters: readonly string[], options: StartOptions): ChildProcess {
  const command = [process.execPath, ...parameters];
  const [program = '', ...rest] =
    options.core === undefined || !hasTaskset ? command : ['taskset', '-c', String(options.core), ...command];
  return spawn(program, rest, {
    cwd: options.directory,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...options.environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** Sends SIGTERM, then SIGKILL after a timeout; resolves when the process has exited. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
  await gone;
  clearTimeout(timer);
}
