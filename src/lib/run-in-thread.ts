import { Worker } from 'node:worker_threads';
import type { Clock } from './clock.ts';

/** Why a thread gave no result: `broken` is whatever else went wrong in it. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
  readonly problem: 'too-slow' | 'too-large' | 'broken';
  constructor(problem: ThreadError['problem'], options?: ErrorOptions) {
    super(`The thread gave no result: ${problem}`, options);
    this.problem = problem;
  }
}

export interface ThreadOrder {
  /** The module that the thread runs. It finds the data as `workerData`, posts one message and ends. */
  readonly worker: URL;
  readonly data: unknown;
  /** What of the data is given away instead of copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

export interface ThreadBounds {
  /** Says how long `timeoutMs` are. */
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Of the engine's heap, and of buffers beside it. */
  readonly maxMemoryBytes: number;
}

const MIB = 1024 * 1024;
/** How often a thread's memory is looked at: buffers are not in what the engine bounds by itself. */
const LOOK_EVERY_MS = 100;

/**
 * Has something worked out beside the process, so that nobody is held up whatever the data does, and ends it when it takes too much.
 * @returns the message that the thread posts.
 * @throws ThreadError; the signal's reason.
 */
export async function runInThread(
  { worker: module, data, transfer = [] }: ThreadOrder,
  { clock, timeoutMs, maxMemoryBytes }: ThreadBounds,
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted();
  const worker = new Worker(module, {
    workerData: data,
    transferList: [...transfer],
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(maxMemoryBytes / MIB) },
    // Nothing that the operator keeps in the environment is anybody's business in there.
    env: {},
    stdout: true,
    stderr: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const cancelTimer = clock.setTimer(timeoutMs, () => reject(new ThreadError('too-slow')));
  const stopWatching = watchMemory(worker, maxMemoryBytes, () => reject(new ThreadError('too-large')));
  worker.once('message', resolve);
  worker.once('error', (error) => {
    const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    reject(new ThreadError(isMemory ? 'too-large' : 'broken', { cause: error }));
  });
  worker.once('exit', () => reject(new ThreadError('broken')));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    cancelTimer();
    stopWatching();
    await worker.terminate();
  }
}

function watchMemory(worker: Worker, maxBytes: number, onTooMuch: () => void): () => void {
  const timer = setInterval(async () => {
    try {
      const { external_memory: bufferBytes } = await worker.getHeapStatistics();
      if (bufferBytes > maxBytes) onTooMuch();
    } catch {
      // It has ended meanwhile.
    }
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}
