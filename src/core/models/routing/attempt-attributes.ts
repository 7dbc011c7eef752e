import type { SpanAttributes } from '../../../lib/log/observer.ts';
import type { ChatChoice } from '../contract/chat-answer.ts';
import type { ChatOutcome, TokenUsage } from '../contract/chat-outcome.ts';
import type { Sampling } from '../contract/chat-request.ts';

/** Settings of requests of all kinds that spans show. */
export interface RequestSettings {
  readonly maxOutputTokens?: number | undefined;
  readonly choiceCount?: number | undefined;
  /** Number of images. */
  readonly count?: number | undefined;
  readonly sampling?: Sampling | undefined;
  readonly temperature?: number | undefined;
}

/** Facts in answers of all kinds that spans show. */
export interface AnswerFacts {
  readonly outcome?: ChatOutcome | undefined;
  readonly choices?: readonly Pick<ChatChoice, 'finishReason'>[] | undefined;
  readonly id?: string | undefined;
  readonly reportedModel?: string | undefined;
  readonly promptTokens?: number | undefined;
  readonly usage?: TokenUsage | undefined;
  readonly provider?: string | undefined;
}

/** Returns the settings of a request, without its content. */
export function toRequestAttributes({ sampling, ...settings }: RequestSettings): SpanAttributes {
  const choiceCount = settings.choiceCount ?? settings.count;
  return {
    maxOutputTokens: settings.maxOutputTokens,
    choiceCount: choiceCount === 1 ? undefined : choiceCount,
    temperature: sampling?.temperature ?? settings.temperature,
    topP: sampling?.topP,
    seed: sampling?.seed,
  };
}

/** Returns ids, finish reasons and token counts of an answer, without its content. Those of a stream grow with it. */
export function toAnswerAttributes({
  outcome,
  choices,
  usage = outcome?.usage,
  ...answer
}: AnswerFacts): SpanAttributes {
  const finishReasons = choices?.map((choice) => choice.finishReason) ?? [outcome?.finishReason];
  return {
    responseId: outcome?.id ?? answer.id,
    responseModel: outcome?.reportedModel ?? answer.reportedModel,
    finishReasons: finishReasons.every((reason) => reason !== undefined) ? finishReasons : undefined,
    inputTokens: usage?.promptTokens ?? answer.promptTokens,
    outputTokens: usage?.completionTokens,
    cachedTokens: usage?.cachedTokens,
    cacheWriteTokens: usage?.cacheWriteTokens,
    reasoningTokens: usage?.reasoningTokens,
    audioInputTokens: usage?.audioInputTokens,
    audioOutputTokens: usage?.audioOutputTokens,
    imageInputTokens: usage?.imageInputTokens,
  };
}
