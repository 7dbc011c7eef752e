import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import type { Clock } from '../clock.ts';
import { listModulePlaces } from '../layout.ts';
import { LENGTH_HEADER_BYTES, toLengthHeader } from './length-header.ts';

/** Thrown when a child process returns no result. `broken` stands for failures other than time and memory. */
export class ProcessError extends Error {
  override readonly name = 'ProcessError';
  readonly problem: 'too-slow' | 'too-large' | 'broken';
  constructor(problem: ProcessError['problem'], options?: ErrorOptions) {
    super(`The child process gave no result: ${problem}`, options);
    this.problem = problem;
  }
}

/** Program of a child process. */
export interface ProcessProgram {
  /** Module that the child runs, which calls `answerParent`. */
  readonly module: URL;
  /** Allows the child to load native addons, which are not subject to its permissions. */
  readonly hasAddons?: boolean;
}

export interface ProcessTask extends ProcessProgram {
  /** Input of the module's work; must be structured-cloneable. */
  readonly data: unknown;
}

export interface ProcessLimits {
  /** Clock for `timeoutMs`. */
  readonly clock: Clock;
  /** Timeout of a task in wall-clock time, including the start of the child. */
  readonly timeoutMs: number;
  /** Maximum heap of the child; the whole process may use `RUNTIME_BYTES` more. */
  readonly maxMemoryBytes: number;
  /** Maximum serialized size of the result. Default 4 MiB. */
  readonly maxResultBytes?: number;
}

/** Answer of a child, written by `answerParent`. */
export type ProcessAnswer = { readonly result: unknown } | { readonly error: string };

const MIB = 1024 * 1024;
/** Memory of an idle Node process with a parser loaded, outside of the heap: measured at 60 to 90 MiB. */
const RUNTIME_BYTES = 128 * MIB;
/** Memory above which a process is not reused, so that each task has nearly all of its own. */
const MAX_IDLE_BYTES = 2 * RUNTIME_BYTES;
const MAX_RESULT_BYTES = 4 * MIB;
const MAX_DIAGNOSTICS_CHARACTERS = 2000;
const MEMORY_CHECK_INTERVAL_MS = 50;
/** Makes the kernel kill the child rather than the service when memory runs out. */
const OOM_SCORE_OF_FIRST_VICTIM = '1000';
/** Signals by which V8 and the kernel end a process that is out of memory. */
const OUT_OF_MEMORY_SIGNALS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGKILL']);
/** Gives the service three times the share of a child where both wait for a core. */
const NICENESS = 5;

/** A child process that runs tasks of one module, one after the other. */
export interface TaskProcess {
  /** Tasks that were started. */
  readonly taskCount: number;
  /** Returns whether the process is alive, and has given most of its memory back. */
  isReusable(): Promise<boolean>;
  /**
   * Runs one task. Not reentrant. After an error the process must be ended.
   * @throws ProcessError; the signal's reason.
   */
  run(data: unknown, signal: AbortSignal): Promise<unknown>;
  /** Lets this process end although the child is alive, until the next task. */
  unref(): void;
  /** Kills the child. Idempotent. */
  end(): Promise<void>;
}

/**
 * Runs a module in a child process of its own, as `startTaskProcess`.
 * @throws ProcessError; the signal's reason; the system's error if no process can be started.
 */
export async function runInProcess(task: ProcessTask, limits: ProcessLimits, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  const child = await startTaskProcess(task, limits);
  try {
    return await child.run(task.data, signal);
  } finally {
    await child.end();
  }
}

/**
 * Starts a child process, which is killed when it exceeds its memory. It has no environment variables, can read only the
 * program's own files, and can neither write files nor start processes. A crash of the child becomes a `ProcessError`.
 * Results are untrusted: the caller must validate them.
 * @throws the system's error if no process can be started.
 */
export async function startTaskProcess(
  program: ProcessProgram,
  { clock, timeoutMs, maxMemoryBytes, maxResultBytes = MAX_RESULT_BYTES }: ProcessLimits,
): Promise<TaskProcess> {
  const child = await startChild(program, maxMemoryBytes);
  const [input, , diagnostics, output] = child.stdio as unknown as [Socket, null, Socket, Socket];
  const closed = new Promise<void>((resolve) => void child.once('close', resolve));
  const readDiagnostics = collectText(diagnostics, MAX_DIAGNOSTICS_CHARACTERS);
  const handles = [child, input, diagnostics, output];
  let taskCount = 0;
  // A child that ends early does not read its input; its end is reported by `close`.
  for (const stream of [input, output]) stream.on('error', () => {});

  return {
    get taskCount() {
      return taskCount;
    },
    async isReusable() {
      const residentBytes = await readResidentBytes(child);
      // Checked last, because the process may end while its memory is read.
      const isAlive = child.exitCode === null && child.signalCode === null;
      return isAlive && residentBytes < MAX_IDLE_BYTES;
    },
    async run(data, signal) {
      signal.throwIfAborted();
      taskCount += 1;
      for (const handle of handles) handle.ref();
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const onAbort = () => reject(signal.reason);
      const onClose = (code: number | null, signalName: NodeJS.Signals | null) => {
        const isMemory = signalName !== null && OUT_OF_MEMORY_SIGNALS.has(signalName);
        const cause = `${signalName ?? `exit code ${code}`} ${readDiagnostics()}`;
        reject(new ProcessError(isMemory ? 'too-large' : 'broken', { cause }));
      };
      signal.addEventListener('abort', onAbort, { once: true });
      child.once('close', onClose);
      const cancelTimer = clock.setTimer(timeoutMs, () => reject(new ProcessError('too-slow')));
      const stopWatching = watchMemory(child, maxMemoryBytes + RUNTIME_BYTES, () =>
        reject(new ProcessError('too-large')),
      );
      readAnswer(output, maxResultBytes).then(resolve, reject);
      try {
        const bytes = serialize(data);
        input.write(toLengthHeader(bytes.length));
        input.write(bytes);
        return await promise;
      } finally {
        signal.removeEventListener('abort', onAbort);
        child.off('close', onClose);
        cancelTimer();
        stopWatching();
      }
    },
    unref() {
      for (const handle of handles) handle.unref();
    },
    async end() {
      for (const handle of handles) handle.ref();
      child.kill('SIGKILL');
      // Unread bytes would delay the end.
      output.destroy();
      await closed;
    },
  };
}

/** @throws the system's error if no process can be started. */
async function startChild(
  { module, hasAddons = false }: ProcessProgram,
  maxMemoryBytes: number,
): Promise<ChildProcess> {
  const readable = [...listModulePlaces(), new URL('*', new URL('../', module))];
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${Math.ceil(maxMemoryBytes / MIB)}`,
      '--permission',
      '--allow-worker',
      ...(hasAddons ? ['--allow-addons'] : []),
      ...readable.map((url) => `--allow-fs-read=${fileURLToPath(url)}`),
      '--no-warnings',
      fileURLToPath(module),
      String(process.pid),
    ],
    // Detached, so that Ctrl-C on the service's terminal reaches only the service. In `/` no core dump can be written.
    { stdio: ['pipe', 'ignore', 'pipe', 'pipe'], env: {}, cwd: '/', detached: true },
  );
  if (child.pid === undefined) {
    const [error] = await once(child, 'error');
    throw error;
  }
  lowerPriority(child.pid);
  writeFile(`/proc/${child.pid}/oom_score_adj`, OOM_SCORE_OF_FIRST_VICTIM).catch(() => {
    // The child has already ended, or this system has no such file.
  });
  return child;
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, NICENESS);
  } catch {
    // The child has already ended.
  }
}

/**
 * Reads the answer of a child. Never settles if there is none, because the exit of the child is more informative then.
 */
async function readAnswer(output: Readable, maxBytes: number): Promise<unknown> {
  const answer = parseAnswer(await readMessage(output, maxBytes));
  if ('error' in answer) throw new ProcessError('broken', { cause: answer.error });
  return answer.result;
}

/** Reads a message behind its length. Further bytes are dropped. */
function readMessage(output: Readable, maxBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let arrivedBytes = 0;
  let messageBytes: number | undefined;
  const onData = (chunk: Buffer) => {
    chunks.push(chunk);
    arrivedBytes += chunk.length;
    if (arrivedBytes < LENGTH_HEADER_BYTES) return;
    messageBytes ??= Buffer.concat(chunks).readUInt32LE();
    const end = LENGTH_HEADER_BYTES + messageBytes;
    if (messageBytes > maxBytes) reject(new ProcessError('too-large'));
    else if (arrivedBytes >= end) resolve(Buffer.concat(chunks).subarray(LENGTH_HEADER_BYTES, end));
    else return;
    output.off('data', onData);
  };
  output.on('data', onData);
  return promise;
}

function parseAnswer(bytes: Buffer): ProcessAnswer {
  try {
    const answer: unknown = deserialize(bytes);
    if (typeof answer === 'object' && answer !== null && ('result' in answer || 'error' in answer))
      return 'error' in answer ? { error: String(answer.error).slice(0, MAX_DIAGNOSTICS_CHARACTERS) } : answer;
  } catch (error) {
    throw new ProcessError('broken', { cause: error });
  }
  throw new ProcessError('broken');
}

/** Returns a function that returns the first `maxCharacters` received so far. */
function collectText(stream: Readable, maxCharacters: number): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(0, maxCharacters);
  });
  return () => text;
}

/** Monitors the resident memory of the child from outside, because buffers are not part of its heap. */
function watchMemory(child: ChildProcess, maxBytes: number, onTooMuch: () => void): () => void {
  const timer = setInterval(async () => {
    if ((await readResidentBytes(child)) > maxBytes) onTooMuch();
  }, MEMORY_CHECK_INTERVAL_MS);
  return () => clearInterval(timer);
}

/** Returns 0 on systems without /proc. */
async function readResidentBytes({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
