import { ChatLostError } from '../../core/inbox/index.ts';
import { sleep } from '../../lib/clock.ts';
import { noObserver, observe, type Span } from '../../lib/log/observer.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { toSendOptions } from '../kit/chats.ts';
import type { Failure } from '../kit/failure.ts';
import type { BotServices } from '../kit/services.ts';
import type { Answer, GeneratedAnswer } from './answer.ts';
import { findPromptAdditions, listAnswerTools } from './extensions.ts';
import { showFailure } from './failure-message.ts';
import { type AnswerSoFar, type Attempts, type GenerationRequest, generateAnswer } from './generation/generation.ts';
import type { Companions } from './queue.ts';
import { toAnsweredQuestion } from './send-about-answer.ts';
import { type AnswerDisplay, type Delivery, type FinalAnswer, openDisplay } from './showing.ts';
import { recordState, storeAnswer } from './storing.ts';

/** Everything that the work on one answer needs. */
export interface AnswerRun {
  readonly answer: Answer;
  readonly companions: Companions<Answer>;
  /** Aborts generation with a `WorkStoppedError`; the text so far is still delivered. */
  readonly stop: AbortSignal;
  /** Aborts delivery: the process is about to exit. */
  readonly deliverySignal: AbortSignal;
  /** Aborts when another process writes the answer: a send under way is completed, and nothing else is sent or stored. */
  readonly takeoverSignal: AbortSignal;
}

/**
 * Result for this process. `unfinished`: the chat does not show the complete answer; another process has to resume it from
 * the database. `settled`: nothing is left to do.
 */
export type AnswerOutcome = 'settled' | 'unfinished';

/**
 * Generates an answer and shows it while it streams. Never throws. The user gets the text, a failure message with
 * buttons, or both; if not from this process, then from the next one.
 */
export async function writeAnswer(services: BotServices, run: AnswerRun): Promise<AnswerOutcome> {
  const { answer, deliverySignal, takeoverSignal } = run;
  try {
    return await observe(services.observer ?? noObserver, 'reply', {}, (span) => writeAndShow(services, run, span));
  } catch (error) {
    if (takeoverSignal.aborted || error instanceof ChatLostError) return 'settled';
    services.logger.error({ err: error, answerId: answer.id }, 'an answer could not be written');
    const { chatTopic, texts } = answer.context;
    await services.client.api
      .sendMessage(chatTopic.chatId, texts.apology, toSendOptions(chatTopic), toGrammySignal(deliverySignal))
      .catch(() => {});
    await recordState(services, answer, () =>
      services.conversations.finishMessage(answer.id, { content: '', finishReason: 'error' }),
    );
    await recordState(services, answer, () => services.conversations.settleMessage(answer.id));
    return 'settled';
  }
}

async function writeAndShow(services: BotServices, run: AnswerRun, span: Span): Promise<AnswerOutcome> {
  const { answer, stop, takeoverSignal } = run;
  // Counted when the job starts, not when it is queued: an answer can only crash the process while it runs.
  if (answer.isResumption) await recordState(services, answer, () => services.conversations.countResumption(answer.id));
  if (answer.written) answer.finish(answer.written.finishReason);
  const display = await openDisplay(services, run);
  try {
    const cancelGeneration = AbortSignal.any([stop, display.undeliverable]);
    const generated =
      answer.written ?? (await generateWhenAdmitted(services, run, cancelGeneration, (soFar) => display.update(soFar)));
    if (takeoverSignal.aborted) return 'settled';
    const final = await storeAnswer(services, run, generated, display);
    const delivery = isSilent(services, answer, generated) ? 'shown' : await display.deliver(final);
    if (delivery === 'shown') answer.enter('shown');
    span.record({ finishReason: delivery === 'shown' ? generated.finishReason : 'undelivered' });
    if (takeoverSignal.aborted) return 'settled';
    if (delivery === 'unfinished') return 'unfinished';
    return await settle(services, run, display, { generated, final, delivery });
  } finally {
    await display.close();
  }
}

function isSilent({ listAnswerExtensions }: BotServices, { question }: Answer, generated: GeneratedAnswer): boolean {
  return listAnswerExtensions().some((extension) => extension.isSilent?.(question, generated));
}

/**
 * Failures to report for answers that were generated but not completely delivered. Without an entry the chat is not
 * reachable, and nothing is sent.
 */
const UNDELIVERED: { readonly [delivery in Delivery]?: Failure } = {
  unclear: { kind: 'unconfirmed' },
  refused: { kind: 'internal' },
};

interface DeliveredAnswer {
  readonly generated: GeneratedAnswer;
  readonly final: FinalAnswer;
  readonly delivery: Delivery;
}

/** Reports the failure of an answer, or asks what it waits for, and records that nothing is left to do. */
async function settle(
  services: BotServices,
  { answer, deliverySignal, takeoverSignal }: AnswerRun,
  { answerId, chatTopic, shownIds }: AnswerDisplay,
  { generated, final, delivery }: DeliveredAnswer,
): Promise<AnswerOutcome> {
  const isTold = final.showsFailure && delivery === 'shown';
  const failure = isTold ? undefined : (generated.failure ?? UNDELIVERED[delivery]);
  const answered = toAnsweredQuestion(answer, chatTopic);
  const signal = AbortSignal.any([deliverySignal, takeoverSignal]);
  if (failure) {
    const failed = { ...answered, model: answer.context.model, shownAnswerId: final.isOld ? answerId : undefined };
    if (!(await showFailure(services, failed, failure, [...shownIds], signal))) return 'unfinished';
  } else {
    for (const { afterShown } of services.listAnswerExtensions()) {
      const outcome = await afterShown?.({ answer, answered, generated }, signal);
      if (outcome === 'unfinished') return 'unfinished';
      if (outcome === 'settled' && answerId === answer.id) return 'settled';
    }
  }
  await recordState(services, answer, () => services.conversations.settleMessage(answerId));
  return 'settled';
}

/** Longest wait of one of several answers for the quota that the others use, and the time between two looks at them. */
const MAX_QUOTA_WAIT_MS = 600_000;

const LOOK_EVERY_MS = 250;

/**
 * Generates the answer, again each time the question changes. One of several that finds the quota in use waits until
 * another of them has been generated.
 */
async function generateWhenAdmitted(
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
