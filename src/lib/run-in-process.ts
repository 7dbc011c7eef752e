import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import type { Clock } from './clock.ts';

/** Thrown when a child process returns no result. `broken` stands for failures other than time and memory. */
export class ProcessError extends Error {
  override readonly name = 'ProcessError';
  readonly problem: 'too-slow' | 'too-large' | 'broken';
  constructor(problem: ProcessError['problem'], options?: ErrorOptions) {
    super(`The child process gave no result: ${problem}`, options);
    this.problem = problem;
  }
}

export interface ProcessTask {
  /** Module that the child runs, which calls `answerParent`. */
  readonly module: URL;
  /** Input of the module's work; must be structured-cloneable. */
  readonly data: unknown;
  /** Allows the child to load native addons, which are not subject to its permissions. */
  readonly hasAddons?: boolean;
}

export interface ProcessLimits {
  /** Clock for `timeoutMs`. */
  readonly clock: Clock;
  /** Timeout in wall-clock time, including the start of the child. */
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
const MAX_RESULT_BYTES = 4 * MIB;
const MAX_DIAGNOSTICS_CHARACTERS = 2000;
const MEMORY_CHECK_INTERVAL_MS = 50;
/** Makes the kernel kill the child rather than the service when memory runs out. */
const OOM_SCORE_OF_FIRST_VICTIM = '1000';
/** Signals by which V8 and the kernel end a process that is out of memory. */
const OUT_OF_MEMORY_SIGNALS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGKILL']);
const SOURCE = new URL('../', import.meta.url);
const PACKAGES = new URL('../../node_modules/', import.meta.url);
const PACKAGE_FILE = new URL('../../package.json', import.meta.url);

/**
 * Runs a module in a child process, which is killed when it exceeds its time or memory. The child has no environment
 * variables, can read only the program's own files, and can neither write files nor start processes. A crash of the
 * child becomes a `ProcessError`. The result is untrusted: the caller must validate it.
 * @throws ProcessError; the signal's reason; the system's error if no process can be started.
 */
export async function runInProcess(
  task: ProcessTask,
  { clock, timeoutMs, maxMemoryBytes, maxResultBytes = MAX_RESULT_BYTES }: ProcessLimits,
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted();
  const child = await startChild(task, maxMemoryBytes);
  const [input, , diagnostics, output] = child.stdio as unknown as [Writable, null, Readable, Readable];
  const closed = new Promise<void>((resolve) => void child.once('close', resolve));
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const cancelTimer = clock.setTimer(timeoutMs, () => reject(new ProcessError('too-slow')));
  const stopWatching = watchMemory(child, maxMemoryBytes + RUNTIME_BYTES, () => reject(new ProcessError('too-large')));
  const readDiagnostics = collectText(diagnostics, MAX_DIAGNOSTICS_CHARACTERS);
  readAnswer(output, maxResultBytes).then(resolve, reject);
  child.once('close', (code, signalName) => {
    const isMemory = signalName !== null && OUT_OF_MEMORY_SIGNALS.has(signalName);
    const cause = `${signalName ?? `exit code ${code}`} ${readDiagnostics()}`;
    reject(new ProcessError(isMemory ? 'too-large' : 'broken', { cause }));
  });
  // A child that ends early does not read its input; its end is reported by `close`.
  input.on('error', () => {});
  try {
    input.end(serialize(task.data));
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    cancelTimer();
    stopWatching();
    child.kill('SIGKILL');
    await closed;
  }
}

/** @throws the system's error if no process can be started. */
async function startChild({ module, hasAddons = false }: ProcessTask, maxMemoryBytes: number): Promise<ChildProcess> {
  const readable = [new URL('*', SOURCE), new URL('*', PACKAGES), PACKAGE_FILE, new URL('*', new URL('./', module))];
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
  writeFile(`/proc/${child.pid}/oom_score_adj`, OOM_SCORE_OF_FIRST_VICTIM).catch(() => {
    // The child has already ended, or this system has no such file.
  });
  return child;
}

/**
 * Reads the answer of a child. Never settles if the stream is empty, because the exit of the child is more informative
 * then.
 */
async function readAnswer(output: Readable, maxBytes: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  output.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) output.destroy(new ProcessError('too-large'));
    else chunks.push(chunk);
  });
  await once(output, 'end').catch((error: unknown) => {
    throw error instanceof ProcessError ? error : new ProcessError('broken', { cause: error });
  });
  if (sizeBytes === 0) return new Promise(() => {});
  const answer = parseAnswer(Buffer.concat(chunks));
  if ('error' in answer) throw new ProcessError('broken', { cause: answer.error });
  return answer.result;
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

/**
 * Monitors the resident memory of the child from outside, because buffers are not part of its heap. Does nothing on
 * systems without /proc.
 */
function watchMemory({ pid }: ChildProcess, maxBytes: number, onTooMuch: () => void): () => void {
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
    const residentKib = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
    if (residentKib * 1024 > maxBytes) onTooMuch();
  }, MEMORY_CHECK_INTERVAL_MS);
  return () => clearInterval(timer);
}
