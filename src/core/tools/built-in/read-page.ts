import type { Clock } from '../../../lib/clock.ts';
import { runInThread, ThreadError } from '../../../lib/run-in-thread.ts';
import { createSlots, SlotsFullError } from '../../../lib/slots.ts';
import { ToolError } from '../tool.ts';

/** Makes text of pages, beside the main thread: a page may be made so that this takes for ever. */
export type ReadPage = (page: Buffer, signal: AbortSignal) => Promise<string>;

const MAX_AT_ONCE = 2;
/** Each holds its page in memory. */
const MAX_WAITING = 20;
const TIMEOUT_MS = 5000;
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
const WORKER = new URL('./page-worker.ts', import.meta.url);

/** Two pages at a time; the others wait for their turn, as far as anybody would. */
export function createPageReader({ clock }: { readonly clock: Clock }): ReadPage {
  const slots = createSlots({ atOnce: MAX_AT_ONCE, maxWaiting: MAX_WAITING });
  return (page, signal) =>
    slots
      .run(() => readBeside(clock, page, signal), signal)
      .catch((error: unknown) => {
        throw error instanceof SlotsFullError ? new ToolError('too many pages are being read right now') : error;
      });
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
