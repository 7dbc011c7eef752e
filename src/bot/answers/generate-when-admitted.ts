import { sleep } from '../../lib/clock.ts';
import type { BotServices } from '../kit/services.ts';
import type { Answer } from './answer.ts';
import { findPromptAdditions, listAnswerTools } from './extensions.ts';
import type { GeneratedAnswer } from './generated-answer.ts';
import { type AnswerSoFar, type Attempts, type GenerationRequest, generateAnswer } from './generation/generation.ts';
import type { Companions } from './queue.ts';

/** Everything that the work on one answer needs. */
export interface AnswerRun {
  readonly answer: Answer;
  readonly companions: Companions<Answer>;
  /** Aborts generation with a `WorkStoppedError`; the text so far is still delivered. */
  readonly stop: AbortSignal;
  /** Aborts delivery: the process is about to exit. */
  readonly deliverySignal: AbortSignal;
}

/** Longest wait of one of several answers for the quota that the others use, and the time between two looks at them. */
const MAX_QUOTA_WAIT_MS = 600_000;
const LOOK_EVERY_MS = 250;

/**
 * Generates the answer, again each time the question changes. One of several that finds the quota in use waits until
 * another of them has been generated.
 */
export async function generateWhenAdmitted(
  services: BotServices,
  run: AnswerRun,
  cancelGeneration: AbortSignal,
  onProgress: (soFar: AnswerSoFar) => void,
): Promise<GeneratedAnswer> {
  const { answer } = run;
  const { clock } = services;
  const waitsUntil = clock.now() + MAX_QUOTA_WAIT_MS;
  const isOver = () => cancelGeneration.aborted || clock.now() >= waitsUntil;
  let unwrittenCount = 0;
  // Also one that ended before the refusal of this attempt arrived.
  const hasOneEnded = () => countUnwritten(run) < unwrittenCount;
  const attempts: Attempts = {
    begin() {
      unwrittenCount = countUnwritten(run);
      return answer.generate();
    },
    async ready(signal) {
      const heldMs = answer.heldUntil - clock.now();
      if (heldMs > 0) await sleep(clock, heldMs, signal).catch(() => undefined);
    },
    async mustRepeat(generated, attempt) {
      if (attempt.aborted && !cancelGeneration.aborted) return true;
      const mayBeAdmitted = hasOneEnded() || isOneGenerated(run);
      if (!isHeldUp(answer, generated) || !mayBeAdmitted || isOver()) {
        // In the same turn as the check above: a later change of the question would be lost.
        answer.finish(generated.finishReason);
        return false;
      }
      answer.enter('queued');
      while (!hasOneEnded() && isOneGenerated(run) && !isOver())
        await sleep(clock, LOOK_EVERY_MS, cancelGeneration).catch(() => undefined);
      return true;
    },
  };
  const report = (soFar: AnswerSoFar) => {
    // Effects of tools count as visible output: later messages are separate questions.
    if (soFar.text !== answer.prefix || soFar.hasUsedTools) answer.enter('streaming');
    onProgress(soFar);
  };
  return generateAnswer(services, toRequest(services, run), cancelGeneration, report, attempts);
}

/** Returns whether requests in flight use the rest of a quota, and nothing has been generated. */
function isHeldUp({ prefix }: Answer, { failure, text }: GeneratedAnswer): boolean {
  return failure?.kind === 'limitReached' && failure.of === 'busy' && text === prefix;
}

/** Returns the number of other answers at the same time whose generation has not ended. */
function countUnwritten(run: AnswerRun): number {
  return listOthers(run).filter((other) => other.isUnwritten).length;
}

function isOneGenerated(run: AnswerRun): boolean {
  return listOthers(run).some((other) => other.isBeingGenerated);
}

function listOthers({ answer, companions }: AnswerRun): readonly Answer[] {
  return companions.listBatch().filter((other) => other !== answer);
}

function toRequest(services: BotServices, { answer, companions }: AnswerRun): GenerationRequest {
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
    listTools: () => listAnswerTools(services, answer),
    findPromptAdditions: () => findPromptAdditions(services, answer),
    // There would be as many questions as answers.
    canAsk: answer.batch === undefined,
  };
}
