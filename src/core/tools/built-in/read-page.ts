import type { Clock } from '../../../lib/clock.ts';
import { runInThread, ThreadError } from '../../../lib/run-in-thread.ts';
import { ToolError } from '../tool.ts';

/** Makes text of pages, beside the main thread: a page may be made so that this takes for ever. */
export type ReadPage = (page: Buffer, signal: AbortSignal) => Promise<string>;

const MAX_AT_ONCE = 2;
const TIMEOUT_MS = 5000;
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
const WORKER = new URL('./page-worker.ts', import.meta.url);

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
  const thread = { worker: WORKER, data: new Uint8Array(page) };
  const bounds = { clock, timeoutMs: TIMEOUT_MS, maxMemoryBytes: MAX_MEMORY_BYTES };
  const text = await runInThread(thread, bounds, signal).catch((error: unknown) => {
    if (!(error instanceof ThreadError)) throw error;
    const isTooSlow = error.problem === 'too-slow';
    throw new ToolError(isTooSlow ? 'the page is too complicated' : 'the page could not be read', { cause: error });
  });
  if (typeof text !== 'string') throw new ToolError('this is no page of text');
  return text;
}
