import { sleep } from '../../lib/clock.ts';
import type { AnswerExtension } from '../kit/feature.ts';
import type { BotServices } from '../kit/services.ts';
import type { Answer } from './answer.ts';
import type { Companions } from './answer-queue.ts';
import { findPromptAdditions, listAnswerTools } from './extend-answer.ts';
import { type AnswerSoFar, type GenerationRequest, generateAnswer } from './generate-answer.ts';
import type { GeneratedAnswer } from './generated-answer.ts';

/** Everything that the work on one answer needs. */
export interface AnswerRun {
  readonly answer: Answer;
  readonly companions: Companions<Answer>;
  readonly extensions: readonly AnswerExtension[];
  /** Aborts generation with a `WorkStoppedError`; the text so far is still delivered. */
  readonly stop: AbortSignal;
  /** Aborts delivery: the process is about to exit. */
  readonly deliverySignal: AbortSignal;
}

/** Longest wait of one of several answers for the quota that the others use, and the time between two looks at them. */
const MAX_QUOTA_WAIT_MS = 600_000;
const LOOK_EVERY_MS = 250;

/** Generates the answer. One of several that finds the quota in use waits until another of them has been generated. */
export async function generateWhenAdmitted(
  services: BotServices,
  run: AnswerRun,
  cancelGeneration: AbortSignal,
  onProgress: (soFar: AnswerSoFar) => void,
): Promise<GeneratedAnswer> {
  const waitsUntil = services.clock.now() + MAX_QUOTA_WAIT_MS;
  for (;;) {
    const generated = await generateUntilUnchanged(services, run, cancelGeneration, onProgress);
    const otherCount = countGenerating(run);
    const isOver = cancelGeneration.aborted || services.clock.now() >= waitsUntil;
    if (!isHeldUp(run.answer, generated) || otherCount === 0 || isOver) return generated;
    run.answer.wait();
    while (countGenerating(run) >= otherCount && services.clock.now() < waitsUntil && !cancelGeneration.aborted)
      await sleep(services.clock, LOOK_EVERY_MS, cancelGeneration).catch(() => undefined);
  }
}

/** Returns whether requests in flight use the rest of a quota, and nothing has been generated. */
function isHeldUp({ prefix }: Answer, { failure, text }: GeneratedAnswer): boolean {
  return failure?.kind === 'limitReached' && failure.of === 'busy' && text === prefix;
}

/** Returns the number of other answers that are generated at the same time. */
function countGenerating({ answer, companions }: AnswerRun): number {
  const isGenerating = ({ state }: Answer) => state === 'generating' || state === 'streaming';
  return companions.listBatch().filter((other) => other !== answer && isGenerating(other)).length;
}

/** Generates the answer, and starts again each time the question changes. */
async function generateUntilUnchanged(
  services: BotServices,
  run: AnswerRun,
  cancelGeneration: AbortSignal,
  onProgress: (soFar: AnswerSoFar) => void,
): Promise<GeneratedAnswer> {
  const { answer } = run;
  for (;;) {
    const attempt = answer.generate();
    const signal = AbortSignal.any([cancelGeneration, attempt]);
    const heldMs = answer.heldUntil - services.clock.now();
    if (heldMs > 0) await sleep(services.clock, heldMs, signal).catch(() => undefined);
    const generated = await generateAnswer(services, toRequest(services, run), signal, (soFar) => {
      // Effects of tools count as visible output: later messages are separate questions.
      if (soFar.text !== answer.prefix || soFar.hasUsedTools) answer.stream();
      onProgress(soFar);
    });
    if (attempt.aborted && !cancelGeneration.aborted) continue;
    answer.finish();
    return generated;
  }
}

function toRequest(services: BotServices, { answer, companions, extensions }: AnswerRun): GenerationRequest {
  const { user, ...context } = answer.context;
  return {
    ...context,
    answerId: answer.id,
    userId: user.id,
    question: answer.question,
    prefix: answer.prefix,
    prefixExtras: answer.prefixExtras,
    replyToMessageId: answer.replyTo,
    readings: companions.readings,
    showsReasoning: user.settings.showsReasoning ?? true,
    listTools: () => listAnswerTools(services, extensions, answer),
    findPromptAdditions: () => findPromptAdditions(services, extensions, answer),
    // There would be as many questions as answers.
    canAsk: answer.batch === undefined,
  };
}
