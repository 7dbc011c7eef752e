import type { Clock } from '../../lib/clock.ts';
import type { UsageRecorder } from '../accounts/index.ts';
import type { Limits, Reservation } from '../limits/index.ts';
import {
  type ChatChoice,
  type ChatCompletion,
  type ChatModel,
  type ChatRequest,
  type ChatStream,
  listTexts,
  watchStream,
} from '../models/index.ts';
import { type FindPrice, toTokenCost } from './cost.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { guessTokens } from './guess-tokens.ts';
import { type Requester, reserveFor } from './requester.ts';

/**
 * Chat completions with limits and usage recording, used by the bot and the HTTP API. Throws the errors of the router
 * and `LimitExceededError`.
 */
export interface ChatGeneration {
  complete(requester: Requester, request: ChatRequest, signal: AbortSignal): Promise<ChatCompletion>;
  stream(requester: Requester, request: ChatRequest, signal: AbortSignal): Promise<ChatStream>;
  /** Counts the tokens of a prompt if the provider can, else estimates them. Is not recorded and has no limits. */
  countPromptTokens(requester: Requester, request: ChatRequest, signal: AbortSignal): Promise<number>;
}

export interface ChatGenerationDeps {
  /** Router; takes public model names. */
  readonly chat: ChatModel;
  readonly usage: UsageRecorder;
  readonly clock: Clock;
  /** Unset: no limits. */
  readonly limits?: Limits | undefined;
  /** Returns the price of a provider's model. Unset: costs are not recorded. */
  readonly findPrice?: FindPrice | undefined;
}

/** Reserved for an answer without a maximum length in the request. */
const USUAL_COMPLETION_TOKENS = 1024;

/**
 * Creates the service. Every generation is recorded once: with the provider's usage if it reports one, otherwise with
 * an estimate of what was delivered.
 */
export function createChatGeneration(deps: ChatGenerationDeps): ChatGeneration {
  const { chat, usage, clock } = deps;

  const record = (
    requester: Requester,
    request: ChatRequest,
    { outcome, choices }: Pick<ChatStream, 'outcome'> & Partial<Pick<ChatCompletion, 'choices'>>,
    { startedAt, ending }: { readonly startedAt: number; readonly ending?: string | undefined },
  ) => {
    const used = outcome.usage ?? {
      promptTokens: estimatePromptTokens(request),
      completionTokens: choices ? estimateCompletionTokens(choices) : outcome.deltaCount,
    };
    usage.record({
      userId: requester.userId,
      keyId: requester.keyId,
      chatId: requester.chatId,
      kind: 'chat',
      replyId: requester.replyId ?? outcome.id,
      model: request.model,
      provider: outcome.provider,
      ...used,
      imageCount: 0,
      costUsd: toTokenCost(deps.findPrice?.(outcome.provider, outcome.model), used),
      isEstimated: outcome.usage === undefined,
      finishReason: outcome.finishReason ?? ending,
      durationMs: Math.round(clock.now() - startedAt),
    });
    return { tokens: used.promptTokens + used.completionTokens, images: 0 };
  };
  const reserve = (requester: Requester, request: ChatRequest) =>
    reserveFor(deps.limits, requester, toExpectedUse(request));

  return {
    async complete(requester, request, signal) {
      const reservation = await reserve(requester, request);
      const startedAt = clock.now();
      let used = NOTHING;
      try {
        const completion = await chat.complete(request, signal);
        used = record(requester, request, completion, { startedAt });
        return completion;
      } finally {
        reservation?.settle(used);
      }
    },
    async stream(requester, request, signal) {
      const reservation = await reserve(requester, request);
      const startedAt = clock.now();
      const stream = await settleOnFailure(reservation, () => chat.stream(request, signal));
      let isRecorded = false;
      return watchStream(stream, (_error, isLeft) => {
        if (isRecorded) return;
        isRecorded = true;
        const ending = isLeft || signal.aborted ? 'stopped' : undefined;
        const used = record(requester, request, stream, { startedAt, ending });
        reservation?.settle(used);
      });
    },
    async countPromptTokens(_requester, request, signal) {
      return (await chat.countPromptTokens?.(request, signal)) ?? estimatePromptTokens(request);
    },
  };
}

const NOTHING = { tokens: 0, images: 0 };

async function settleOnFailure<Result>(
  reservation: Reservation | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    reservation?.settle(NOTHING);
    throw error;
  }
}

/** Returns the tokens to reserve: the prompt plus the requested maximum length, as OpenAI does. At least one token. */
function toExpectedUse(request: ChatRequest) {
  const { maxOutputTokens, choiceCount = 1 } = request;
  const bounded = maxOutputTokens === undefined ? undefined : maxOutputTokens * choiceCount;
  return {
    tokens: () => Math.max(1, guessTokens(listPromptTexts(request))) + (bounded ?? 0),
    moreTokens: bounded === undefined ? USUAL_COMPLETION_TOKENS * choiceCount : 0,
    images: 0,
  };
}

/** Counts texts and tools only: the cost of images is known only to the provider. */
function estimatePromptTokens(request: ChatRequest): number {
  return estimateTokens(listPromptTexts(request));
}

function listPromptTexts({ messages, tools = [] }: ChatRequest): readonly string[] {
  return [
    ...messages.flatMap((message) => [
      ...listTexts(message.content),
      ...((message.role === 'assistant' && message.toolCalls) || []).map((call) => call.arguments),
    ]),
    ...tools.flatMap(({ name, description = '', parameters = {} }) => [name, description, JSON.stringify(parameters)]),
  ];
}

/** Estimates the tokens of a whole completion, for providers that report no usage. */
function estimateCompletionTokens(choices: readonly ChatChoice[]): number {
  return estimateTokens(
    choices.flatMap(({ text, reasoning = '', refusal, toolCalls }) => [
      text,
      reasoning,
      refusal ?? '',
      ...toolCalls.map((call) => call.arguments),
    ]),
  );
}
