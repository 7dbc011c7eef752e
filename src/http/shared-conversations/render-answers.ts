import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { toChildModule } from '../../lib/layout.ts';
import { ProcessError, runInProcess } from '../../lib/process/run-in-process.ts';
import type { Html } from '../pages/html.ts';

/** Markdown of one answer. */
export interface WrittenAnswer {
  /** Prefix unique within the page, for the ids of footnotes. */
  readonly scope: string;
  readonly markdown: string;
}

/** Input of the child process. */
export interface RenderingTask {
  readonly answers: readonly WrittenAnswer[];
  /** Maximum size of all rendered answers. */
  readonly maxBytes: number;
}

/** Timeout for rendering a page, which is then shown as plain text. 300 000 characters take about a second. */
const TIMEOUT_MS = 20_000;
const MIB = 1024 * 1024;
const MAX_BYTES = 4 * MIB;
const MAX_MEMORY_BYTES = 256 * MIB;
/** Larger than `MAX_BYTES`, to allow for plain text and UTF-16. */
const MAX_RESULT_BYTES = 16 * MIB;
const MODULE = toChildModule('http/shared-conversations/rendering-process');
const renderedAnswers = z.array(z.string());

/**
 * Renders the answers of a page in a child process with limits, because parsing Markdown can take very long.
 * @throws ProcessError if they exceed the limits; the signal's reason; the system's error if no process can be started.
 */
export async function renderAnswers(
  answers: readonly WrittenAnswer[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly Html[]> {
  if (answers.length === 0) return [];
  const task: RenderingTask = { answers, maxBytes: MAX_BYTES };
  const limits = {
    clock,
    timeoutMs: TIMEOUT_MS,
    maxMemoryBytes: MAX_MEMORY_BYTES,
    maxResultBytes: MAX_RESULT_BYTES,
  };
  const result = renderedAnswers.safeParse(await runInProcess({ module: MODULE, data: task }, limits, signal));
  if (result.data?.length !== answers.length) throw new ProcessError('broken');
  return result.data.map((markup) => ({ markup }));
}
