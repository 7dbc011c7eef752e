import { isTakenOver } from '../../core/jobs/index.ts';
import { noObserver, observe, type Span } from '../../lib/log/observer.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import { toSendOptions } from '../kit/chats.ts';
import type { Failure } from '../kit/failure.ts';
import type { BotServices } from '../kit/services.ts';
import type { Answer } from './answer.ts';
import { showFailure } from './failure-message.ts';
import { type AnswerRun, generateWhenAdmitted } from './generate-when-admitted.ts';
import type { GeneratedAnswer } from './generated-answer.ts';
import { toAnsweredQuestion } from './send-about-answer.ts';
import { type AnswerDisplay, type Delivery, type FinalAnswer, openDisplay } from './showing.ts';
import { keepAnswer, recordState } from './storing.ts';

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
  const { answer, deliverySignal } = run;
  try {
    return await observe(services.observer ?? noObserver, 'reply', {}, (span) => writeAndShow(services, run, span));
  } catch (error) {
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
  const { answer, stop } = run;
  // Counted when the job starts, not when it is queued: an answer can only crash the process while it runs.
  if (answer.isResumption) await recordState(services, answer, () => services.conversations.countResumption(answer.id));
  if (answer.written) answer.finish(answer.written.finishReason);
  const display = await openDisplay(services, run);
  try {
    const cancelGeneration = AbortSignal.any([stop, display.undeliverable]);
    const generated =
      answer.written ?? (await generateWhenAdmitted(services, run, cancelGeneration, (soFar) => display.update(soFar)));
    if (isTakenOver(stop)) return 'settled';
    const final = await keepAnswer(services, run, generated, display);
    const delivery = isSilent(services, answer, generated) ? 'shown' : await display.deliver(final);
    if (delivery === 'shown') answer.enter('shown');
    span.record({ finishReason: delivery === 'shown' ? generated.finishReason : 'undelivered' });
    if (isTakenOver(stop)) return 'settled';
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
  { answer, deliverySignal }: AnswerRun,
  { answerId, chatTopic, shownIds }: AnswerDisplay,
  { generated, final, delivery }: DeliveredAnswer,
): Promise<AnswerOutcome> {
  const isTold = final.showsFailure && delivery === 'shown';
  const failure = isTold ? undefined : (generated.failure ?? UNDELIVERED[delivery]);
  const answered = toAnsweredQuestion(answer, chatTopic);
  if (failure) {
    const failed = { ...answered, model: answer.context.model, shownAnswerId: final.isOld ? answerId : undefined };
    if (!(await showFailure(services, failed, failure, [...shownIds], deliverySignal))) return 'unfinished';
  } else {
    for (const { afterShown } of services.listAnswerExtensions()) {
      const outcome = await afterShown?.({ answer, answered, generated }, deliverySignal);
      if (outcome === 'unfinished') return 'unfinished';
      if (outcome === 'settled' && answerId === answer.id) return 'settled';
    }
  }
  await recordState(services, answer, () => services.conversations.settleMessage(answerId));
  return 'settled';
}
