import { estimateTokenCount } from 'tokenx';
import type { Clock } from '../../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { findLongText } from '../../lib/json-outline.ts';
import type { UsageRecorder } from '../accounts/index.ts';
import type { Limits, Reservation } from '../limits/index.ts';
import {
  type ChatCompletion,
  type ChatMessage,
  type ChatModel,
  type ChatRequest,
  type ChatStream,
  watchStream,
} from '../models/index.ts';
import { type Caller, reserveFor } from './caller.ts';
import { type FindPrice, toTokenCost } from './cost.ts';

/** What both faces call: the router behind limits and usage accounting. Errors are the router's, and `LimitExceededError`. */
export interface ChatGeneration {
  complete(caller: Caller, request: ChatRequest, signal: AbortSignal): Promise<ChatCompletion>;
  stream(caller: Caller, request: ChatRequest, signal: AbortSignal): Promise<ChatStream>;
}

export interface ChatGenerationDeps {
  /** Takes public names of models. */
  readonly chat: ChatModel;
  readonly usage: UsageRecorder;
  readonly clock: Clock;
  /** Unset: nothing is limited. */
  readonly limits?: Limits | undefined;
  /** What a provider's model costs. Unset: no cost is kept. */
  readonly findPrice?: FindPrice | undefined;
}

/** Of most languages and most models. */
const BYTES_PER_TOKEN = 4;
const ESTIMATED_LENGTH = 16_384;
/** Set aside for an answer whose length the request does not bound. */
const USUAL_COMPLETION_TOKENS = 1024;

/** Counts every generation once: finished ones with what the provider says, broken off ones with what was delivered until then. */
export function createChatGeneration(deps: ChatGenerationDeps): ChatGeneration {
  const { chat, usage, clock } = deps;

  const record = (
    caller: Caller,
    request: ChatRequest,
    { outcome, body }: Pick<ChatStream, 'outcome'> & Partial<Pick<ChatCompletion, 'body'>>,
    startedAt: number,
  ) => {
    const used = outcome.usage ?? {
      promptTokens: estimatePromptTokens(request),
      completionTokens: body ? estimateCompletionTokens(body) : outcome.deltaCount,
    };
    usage.record({
      personId: caller.personId,
      keyId: caller.keyId,
      kind: 'chat',
      replyId: outcome.id,
      model: request.body.model,
      provider: outcome.provider,
      ...used,
      pictureCount: 0,
      costUsd: toTokenCost(deps.findPrice?.(outcome.provider, outcome.model), used),
      isEstimated: outcome.usage === undefined,
      finishReason: outcome.finishReason,
      durationMs: Math.round(clock.now() - startedAt),
    });
    return { tokens: used.promptTokens + used.completionTokens, pictures: 0 };
  };
  const reserve = (caller: Caller, request: ChatRequest) => reserveFor(deps.limits, caller, toExpectedUse(request));

  return {
    async complete(caller, request, signal) {
      const reservation = await reserve(caller, request);
      const startedAt = clock.now();
      let used = NOTHING;
      try {
        const completion = await chat.complete(request, signal);
        used = record(caller, request, completion, startedAt);
        return completion;
      } finally {
        reservation?.settle(used);
      }
    },
    async stream(caller, request, signal) {
      const reservation = await reserve(caller, request);
      const startedAt = clock.now();
      const stream = await settleOnFailure(reservation, () => chat.stream(request, signal));
      let isRecorded = false;
      return watchStream(stream, () => {
        if (isRecorded) return;
        isRecorded = true;
        const used = record(caller, request, stream, startedAt);
        reservation?.settle(used);
      });
    },
  };
}

const NOTHING = { tokens: 0, pictures: 0 };

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

/** Reserves the longest answer that the request names in full, as OpenAI does. Every request wishes for at least one token. */
function toExpectedUse(request: ChatRequest) {
  const { body } = request;
  const answers = toCount(body['n']) ?? 1;
  // Hosts that know one of these names alone follow that one.
  const named = [toCount(body['max_completion_tokens']), toCount(body['max_tokens'])].filter(
    (count) => count !== undefined,
  );
  const bounded = named.length > 0 ? Math.max(...named) * answers : undefined;
  return {
    tokens: () => Math.max(1, guessPromptTokens(request)) + (bounded ?? 0),
    moreTokens: bounded === undefined ? USUAL_COMPLETION_TOKENS * answers : 0,
    pictures: 0,
  };
}

/** The number, at least 1; undefined where it is none. */
function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && !Number.isNaN(value) ? Math.max(1, value) : undefined;
}

/** For the time until its provider says how many it were. A closer look at each word would cost more than all the rest of a request. */
function guessPromptTokens(request: ChatRequest): number {
  return sumTexts(request, (text) => Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

function estimatePromptTokens(request: ChatRequest): number {
  return sumTexts(request, estimateTokenCount);
}

/** Texts, reasoning and tool calls of a whole completion, for providers that report no usage. */
function estimateCompletionTokens({ choices }: JsonObject): number {
  const messages = toObjects(choices).flatMap(({ message }) => (isJsonObject(message) ? [message] : []));
  const texts = messages.flatMap((message) => [
    message['content'],
    message['reasoning'],
    message['reasoning_content'],
    message['refusal'],
    ...toObjects(message['content']).map((part) => part['text']),
    ...toObjects(message['tool_calls']).map((call) => isJsonObject(call['function']) && call['function']['arguments']),
  ]);
  return texts.reduce<number>((sum, text) => sum + (countText({ text }, 'text', estimateTokenCount) ?? 0), 0);
}

function toObjects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Text alone: what a picture costs is known to its provider alone. */
function sumTexts({ body }: ChatRequest, count: (text: string) => number): number {
  const countParts = (parts: ChatMessage['content']) =>
    typeof parts === 'object' && parts
      ? parts.reduce((sum, part) => sum + (countText(part, 'text', count) ?? 0), 0)
      : 0;
  return body.messages.reduce(
    (sum, message) => sum + (countText(message, 'content', count) ?? countParts(message.content)),
    0,
  );
}

/** Of a long text the beginning tells how the rest is counted. Undefined where the field holds no text. */
function countText(holder: JsonObject, field: string, count: (text: string) => number): number | undefined {
  const long = findLongText(holder, field);
  if (long) return Math.ceil(count(long.beginning) * long.ratio);
  const text = holder[field];
  if (typeof text !== 'string') return undefined;
  if (text.length <= ESTIMATED_LENGTH) return Math.ceil(count(text));
  return Math.ceil((count(text.slice(0, ESTIMATED_LENGTH)) * text.length) / ESTIMATED_LENGTH);
}
