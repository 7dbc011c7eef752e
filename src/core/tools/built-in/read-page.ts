import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../lib/clock.ts';
import { ToolError } from '../tool.ts';

/** Makes text of pages, beside the main thread: a page may be made so that this takes for ever. */
export type ReadPage = (page: Buffer, signal: AbortSignal) => Promise<string>;

const MAX_AT_ONCE = 2;
const TIMEOUT_MS = 5000;
const MAX_MEMORY_MB = 256;

/** Two pages at a time; the others wait for their turn. */
export function createPageReader({ clock }: { readonly clock: Clock }): ReadPage {
  let atWork = 0;
  const waiting = new Set<() => void>();

  const waitForTurn = async (signal: AbortSignal) => {
    while (atWork >= MAX_AT_ONCE) {
      const turn = Promise.withResolvers<void>();
      waiting.add(turn.resolve);
      signal.addEventListener('abort', () => turn.resolve(), { once: true });
      await turn.promise;
      waiting.delete(turn.resolve);
      signal.throwIfAborted();
    }
  };

  return async (page, signal) => {
    await waitForTurn(signal);
    atWork += 1;
    try {
      return await readBeside(clock, page, signal);
    } finally {
      atWork -= 1;
      const [next] = waiting;
      next?.();
    }
  };
}

async function readBeside(clock: Clock, page: Buffer, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./page-worker.ts', import.meta.url), {
    workerData: new Uint8Array(page),
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const cancelTimer = clock.setTimer(TIMEOUT_MS, () => reject(new ToolError('the page is too complicated')));
  worker.once('message', (text: unknown) =>
    typeof text === 'string' ? resolve(text) : reject(new ToolError('this is no page of text')),
  );
  worker.once('error', (error) => reject(new ToolError('the page could not be read', { cause: error })));
  worker.once('exit', () => reject(new ToolError('the page could not be read')));
  try {
    return await promise;
  } finally {
    cancelTimer();
    signal.removeEventListener('abort', onAbort);
    await worker.terminate();
  }
}
