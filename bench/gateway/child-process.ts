import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readAllowedCores } from './process-usage.ts';

/** Where each process stays; undefined: wherever the system likes. */
export interface Cores {
  readonly target: number | undefined;
  readonly client: number | undefined;
  readonly provider: number | undefined;
}

export interface StartOptions {
  /** Core to stay on; undefined: wherever the system likes. */
  readonly core: number | undefined;
  readonly directory?: string | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

const END_TIMEOUT_MS = 10_000;
const hasTaskset = spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;

/** A target has a core of its own; client and provider share one where there are only two. */
export function chooseCores(): Cores {
  const [target, client, provider = client] = hasTaskset ? readAllowedCores() : [];
  return client === undefined
    ? { target: undefined, client: undefined, provider: undefined }
    : { target, client, provider };
}

/**
 * Starts Node on a program, with a channel for messages and an environment that holds nothing but what is given:
 * keys of the person who measures must not reach any target. What it prints is dropped, its errors are not.
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

/** Ends a process, at first politely; resolves when it is gone. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
  await gone;
  clearTimeout(timer);
}
