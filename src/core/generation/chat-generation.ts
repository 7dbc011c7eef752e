import { leaveOnAbort } from '../../lib/async/leave-on-abort.ts';
import type { UsageEntry } from '../accounts/index.ts';
import {
  type ChatChoice,
  type ChatCompletion,
  type ChatModel,
  type ChatOutcome,
  type ChatRequest,
  type ChatStream,
  countDeltaTokens,
  createOutcome,
  listTexts,
  type TokenUsage,
  watchStream,
} from '../models/index.ts';
import { toTokenCost } from './metering/cost.ts';
import { boundChatCost, type ChatCost } from './metering/cost-bounds.ts';
import { estimateTokens, guessTokens } from './metering/estimate-tokens.ts';
import { type AttendedRequest, attendStream, LeftRequests } from './metering/left-requests.ts';
import { boundPromptTokens, estimateFileTokens } from './metering/prompt-bound.ts';
import {
  findPriceOf,
  type MeteredRequest,
  type MeteringDeps,
  reserveFor,
  reserveRequest,
} from './metering/reserve-and-settle.ts';
import type { Requester } from './requester.ts';

/**
 * Chat completions with limits and usage recording, used by the bot and the HTTP API. The outcome of a complete answer
 * has the usage that is recorded: an estimate if the provider reports none. Throws the errors of the router and
 * `LimitExceededError`.
 */
export interface ChatGeneration {
  complete(requester: Requester, request: ChatRequest, signal: AbortSignal): Promise<ChatCompletion>;
  stream(requester: Requester, request: ChatRequest, signal: AbortSignal): Promise<ChatStream>;
  /**
   * Counts the tokens of a prompt if the provider can, else estimates them. It costs nothing and is not recorded, but
   * counts as a request in the limits of requests per minute and in flight.
   */
  countPromptTokens(requester: Requester, request: ChatRequest, signal: AbortSignal): Promise<number>;
}

export interface ChatGenerationDeps extends MeteringDeps {
  /** Router; takes public model names. */
  readonly chat: ChatModel;
  /** Returns the context length of a public model name in tokens. Default: unknown. */
  readonly findContextLength?: ((model: string) => number | undefined) | undefined;
  /** Shared by all generations, and closed by the caller. Default: one of its own. */
  readonly leftRequests?: LeftRequests | undefined;
}

/** Reserved for an answer without a maximum length in the request. */
const USUAL_COMPLETION_TOKENS = 1024;

/**
 * Creates the service. Every generation is recorded once: with the provider's usage if it reports one, otherwise with
 * an estimate of what was delivered.
 */
export function createChatGeneration(deps: ChatGenerationDeps): ChatGeneration {
  const { chat, leftRequests = new LeftRequests(deps.clock) } = deps;

  const record = (
    admitted: AdmittedRequest,
    { outcome, choices }: Pick<ChatStream, 'outcome'> & Partial<Pick<ChatCompletion, 'choices'>>,
    ending?: string | undefined,
  ): ChatOutcome => {
    const { request } = admitted;
    const used = toFinalUsage(outcome, request) ?? {
      promptTokens: estimatePromptTokens(request),
      completionTokens: choices ? estimateCompletionTokens(choices) : countBrokenOff(outcome, request),
    };
    write(admitted, outcome, { used, costUsd: toTokenCost(findPriceOf(deps, request, outcome), used), ending });
    return used === outcome.usage ? outcome : { ...outcome, usage: used };
  };

  /** Records a request whose usage is not known, with what was reserved: the host may have charged for it. */
  const recordUnknown = (admitted: AdmittedRequest) => {
    const used = { promptTokens: estimatePromptTokens(admitted.request), completionTokens: 0 };
    const costUsd = admitted.metered.reservation?.unknownCostUsd;
    write(admitted, createOutcome('unknown', ''), { used, costUsd, ending: 'stopped' });
  };

  const write = (
    { requester, request, metered }: AdmittedRequest,
    outcome: ChatStream['outcome'],
    {
      used,
      ...facts
    }: Pick<UsageEntry, 'costUsd'> & { readonly used: TokenUsage; readonly ending: string | undefined },
  ) => {
    const answered = {
      ...used,
      replyId: requester.replyId ?? outcome.id,
      model: request.model,
      provider: outcome.provider,
      imageCount: 0,
      costUsd: facts.costUsd,
      isEstimated: used !== outcome.usage,
      finishReason: outcome.finishReason ?? facts.ending,
    };
    const entry = metered.record(answered, { tokens: used.promptTokens + used.completionTokens, images: 0 });
    requester.onRecorded?.(entry);
  };

  const open = async (admitted: AdmittedRequest, signal: AbortSignal): Promise<ChatStream> => {
    const { request, metered, attended } = admitted;
    const isLost = () => attended?.isAnswered === false && signal.aborted;
    const stream = await chat.stream(request, signal).catch((error: unknown) => {
      if (isLost()) recordUnknown(admitted);
      metered.settle();
      attended?.end();
      throw error;
    });
    let counted: ChatOutcome | undefined;
    const count = (isStopped: boolean): ChatOutcome => {
      if (!isLost()) return record(admitted, stream, isStopped ? 'stopped' : undefined);
      recordUnknown(admitted);
      return stream.outcome;
    };
    const onEnd = (_error: unknown, isLeft: boolean) => {
      if (counted) return;
      counted = count(isLeft || admitted.client.aborted);
      attended?.end();
    };
    return watchStream(stream, onEnd, () => counted ?? stream.outcome);
  };

  /**
   * Reserves quota, and shortens the answer to what its budgets pay for. Under a budget, the request goes on when its
   * client leaves before the answer.
   */
  const admit = async (requester: Requester, asked: ChatRequest, client: AbortSignal): Promise<AdmittedRequest> => {
    const { model } = asked;
    let bounds: ChatCost | undefined;
    const cost = () => {
      const contextLength = deps.findContextLength?.(model);
      const promptTokens = boundPromptTokens(asked, contextLength);
      bounds = boundChatCost(asked, deps.findPrices?.(model), { promptTokens, contextLength });
      return bounds;
    };
    const use = { kind: 'chat', request: asked, cost, ...toExpectedUse(asked) } as const;
    const metered = await reserveRequest(deps, requester, use);
    const { reservation } = metered;
    const granted = reservation?.grantedUsd;
    const request = bounds && granted !== undefined ? bounds.limitLength(asked, granted) : asked;
    if (client.aborted) {
      metered.settle();
      throw client.reason;
    }
    const isPriced = reservation?.unknownCostUsd !== undefined;
    const attended = isPriced ? leftRequests.attend(requester.userId, client) : undefined;
    return { requester, request, metered, client, attended };
  };

  return {
    async complete(requester, asked, signal) {
      const admitted = await admit(requester, asked, signal);
      const { request, metered, attended } = admitted;
      const work = async () => {
        try {
          const completion = await chat.complete(request, attended?.signal ?? signal);
          return { ...completion, outcome: record(admitted, completion) };
        } catch (error) {
          if (attended?.signal.aborted) recordUnknown(admitted);
          throw error;
        } finally {
          metered.settle();
          attended?.end();
        }
      };
      return attended ? leaveOnAbort(work(), signal) : work();
    },
    async stream(requester, asked, signal) {
      const admitted = await admit(requester, asked, signal);
      const { attended } = admitted;
      const opening = open(admitted, attended?.signal ?? signal);
      if (!attended) return opening;
      const attending = opening.then((stream) => attendStream(stream, attended, signal));
      try {
        return await leaveOnAbort(attending, signal);
      } catch (error) {
        // It is read to its end without the client. A failure is recorded where the stream is opened.
        if (signal.aborted) attending.then((stream) => stream[Symbol.asyncIterator]().return?.()).catch(() => {});
        throw error;
      }
    },
    async countPromptTokens(requester, request, signal) {
      const reservation = await reserveFor(deps.limits, requester, { tokens: () => 0, moreTokens: 0, images: 0 });
      try {
        return (await chat.countPromptTokens?.(request, signal)) ?? estimatePromptTokens(request);
      } finally {
        reservation?.settle(NOTHING);
      }
    },
  };
}

/** A request that may be sent. */
interface AdmittedRequest {
  readonly requester: Requester;
  readonly request: ChatRequest;
  readonly metered: MeteredRequest;
  /** Signal of the client. */
  readonly client: AbortSignal;
  /** Set under a budget. */
  readonly attended: AttendedRequest | undefined;
}

const NOTHING = { tokens: 0, images: 0 };

/** Returns the reported usage. Hosts that report it from the first event on have not counted a stream that broke off. */
function toFinalUsage(outcome: ChatStream['outcome'], request: ChatRequest): TokenUsage | undefined {
  const { usage, finishReason } = outcome;
  if (!usage || finishReason !== undefined) return usage;
  return { ...usage, completionTokens: Math.max(usage.completionTokens, countBrokenOff(outcome, request)) };
}

/** Estimates the tokens of a stream that broke off, at most its maximum length. */
function countBrokenOff(outcome: ChatStream['outcome'], { maxOutputTokens, choiceCount = 1 }: ChatRequest): number {
  const most = maxOutputTokens === undefined ? Number.POSITIVE_INFINITY : maxOutputTokens * choiceCount;
  return Math.min(countDeltaTokens(outcome), most);
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

/** Estimates the tokens of a prompt cheaply, before its provider counts them. */
export function guessPromptTokens(request: ChatRequest): number {
  return guessTokens(listPromptTexts(request)) + estimateMediaTokens(request);
}

/** Tokens of most images in a prompt; those of a single one are known only to the provider. */
const USUAL_MEDIA_TOKENS = { image: 1000, other: 1000 };

function estimatePromptTokens(request: ChatRequest): number {
  return estimateTokens(listPromptTexts(request)) + estimateMediaTokens(request);
}

function estimateMediaTokens({ messages }: ChatRequest): number {
  let tokens = 0;
  for (const { content } of messages) {
    for (const part of typeof content === 'string' ? [] : content) {
      if (part.type === 'file') tokens += estimateFileTokens(part.url);
      else if (part.type !== 'text') tokens += USUAL_MEDIA_TOKENS[part.type];
    }
  }
  return tokens;
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
  const texts = choices.flatMap(({ text, reasoning = '', refusal, toolCalls }) => [
    text,
    reasoning,
    refusal ?? '',
    ...toolCalls.map((call) => call.arguments),
  ]);
  const imageCount = choices.reduce((count, { images = [] }) => count + images.length, 0);
  return estimateTokens(texts) + imageCount * USUAL_MEDIA_TOKENS.image;
}
