import { z } from 'zod';
import { systemClock } from '../../lib/clock.ts';
import { ProcessError, runInProcess } from '../../lib/run-in-process.ts';
import type { Html } from '../html.ts';

/** Markdown of one answer. */
export interface WrittenAnswer {
  /** Word that no other answer of the page has: makes the ids of its footnotes unique. */
  readonly scope: string;
  readonly markdown: string;
}

/** Input of the child process. */
export interface RenderingTask {
  readonly answers: readonly WrittenAnswer[];
  /** Size of the rendered answers together. */
  readonly maxBytes: number;
}

const MIB = 1024 * 1024;
const MAX_BYTES = 4 * MIB;
const MAX_MEMORY_BYTES = 256 * MIB;
/** Above `MAX_BYTES` by what plain text may add, and for UTF-16. */
const MAX_RESULT_BYTES = 16 * MIB;
const MODULE = new URL('./rendering-process.ts', import.meta.url);
const renderedAnswers = z.array(z.string());

/**
 * Renders the answers of a page in a child process with limits, because Markdown can take a parser very long.
 * @throws ProcessError where they exceed the limits; the signal's reason; the system's error where no process can be started.
 */
export async function renderAnswers(
  answers: readonly WrittenAnswer[],
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<readonly Html[]> {
  if (answers.length === 0) return [];
  const task: RenderingTask = { answers, maxBytes: MAX_BYTES };
  const limits = {
    // The processor's time is limited, so the clock is the real one.
    clock: systemClock,
    timeoutMs,
    maxMemoryBytes: MAX_MEMORY_BYTES,
    maxResultBytes: MAX_RESULT_BYTES,
  };
  const result = renderedAnswers.safeParse(await runInProcess({ module: MODULE, data: task }, limits, signal));
  if (result.data?.length !== answers.length) throw new ProcessError('broken');
  return result.data.map((markup) => ({ markup }));
}
