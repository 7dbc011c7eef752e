import { sleep } from '../../lib/clock.ts';
import type { BotServices } from '../kit/services.ts';
import type { AnswerJob } from './answer-job.ts';
import type { Companions } from './answer-queue.ts';
import { type AnswerSoFar, generateAnswer } from './generate-answer.ts';
import type { GeneratedAnswer } from './generated-answer.ts';

/** Longest wait of one of several answers for the quota that the others use, and the time between two looks at them. */
const MAX_QUOTA_WAIT_MS = 600_000;
const LOOK_EVERY_MS = 250;

/** Generates the answer. One of several that finds the quota in use waits until another of them has been generated. */
export async function generateWhenAdmitted(
  services: BotServices,
  job: AnswerJob,
  { listBatch, readings }: Companions<AnswerJob>,
  cancelGeneration: AbortSignal,
  onProgress: (soFar: AnswerSoFar) => void,
): Promise<GeneratedAnswer> {
  const waitsUntil = services.clock.now() + MAX_QUOTA_WAIT_MS;
  for (;;) {
    const generated = await generateUntilUnchanged(services, { ...job, readings }, cancelGeneration, onProgress);
    const otherCount = countGenerating(job, listBatch);
    const isOver = cancelGeneration.aborted || services.clock.now() >= waitsUntil;
    if (!isHeldUp(job, generated) || otherCount === 0 || isOver) return generated;
    job.progress.wait();
    while (countGenerating(job, listBatch) >= otherCount && services.clock.now() < waitsUntil && !cancelGeneration.aborted)
      await sleep(services.clock, LOOK_EVERY_MS, cancelGeneration).catch(() => undefined);
  }
}

/** Returns whether requests in flight use the rest of a quota, and nothing has been generated. */
function isHeldUp({ prefix }: AnswerJob, { failure, text }: GeneratedAnswer): boolean {
  return failure?.kind === 'limitReached' && failure.of === 'busy' && text === prefix;
}

/** Returns the number of other answers that are generated at the same time. */
function countGenerating({ answerId }: AnswerJob, listBatch: Companions<AnswerJob>['listBatch']): number {
  const isGenerating = ({ state }: AnswerJob['progress']) => state === 'generating' || state === 'streaming';
  return listBatch().filter((job) => job.answerId !== answerId && isGenerating(job.progress)).length;
}

/** Generates the answer, and starts again each time the question changes. */
async function generateUntilUnchanged(
  services: BotServices,
  job: AnswerJob,
  cancelGeneration: AbortSignal,
  onProgress: (soFar: AnswerSoFar) => void,
): Promise<GeneratedAnswer> {
  const { progress } = job;
  for (;;) {
    const attempt = progress.generate();
    const signal = AbortSignal.any([cancelGeneration, attempt]);
    const heldMs = progress.heldUntil - services.clock.now();
    if (heldMs > 0) await sleep(services.clock, heldMs, signal).catch(() => undefined);
    const generated = await generateAnswer(services, job, signal, (soFar) => {
      // Effects of tools count as visible output: later messages are separate questions.
      if (soFar.text !== job.prefix || soFar.hasUsedTools) progress.stream();
      onProgress(soFar);
    });
    if (attempt.aborted && !cancelGeneration.aborted) continue;
    progress.finish();
    return generated;
  }
}
