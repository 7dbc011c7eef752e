import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4Warning,
} from '@ai-sdk/provider';
import type { ChatEvent, ChatPart, ChatStream } from '../../contract/chat-answer.ts';
import type { GrowingOutcome, TokenUsage } from '../../contract/chat-outcome.ts';
import type { ChatRequest, OptionalSetting } from '../../contract/chat-request.ts';
import { ProviderStreamError, UntranslatableError } from '../../contract/model-errors.ts';
import { recordParts } from '../stream/split-event.ts';
import { startStream } from '../stream/start-stream.ts';
import { KeptReasoning } from './kept-reasoning.ts';
import type { SdkRequest } from './sdk-request.ts';

export interface SdkStreamParams {
  readonly provider: string;
  readonly metadataKey: string;
  readonly request: ChatRequest;
  readonly outcome: GrowingOutcome;
  /** Request at the vendor; the stream is its response. */
  readonly sdkRequest: SdkRequest;
  /** Converts an error to a ProviderError or the abort reason. */
  readonly toError: (error: unknown, isUnderWay: boolean) => unknown;
}

/**
 * Converts a stream of the SDK. Resolves with its first event.
 * @throws the result of `toError`.
 */
export function openSdkStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  options: SdkStreamParams,
): Promise<ChatStream> {
  const { outcome, sdkRequest, toError } = options;
  return startStream(readEvents(stream, options), { outcome, onFirst: () => sdkRequest.markStarted(), toError });
}

const PARTS_PER_BATCH = 100;

/** Ends when the answer is complete, and throws if it breaks off. */
async function* readEvents(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  { provider, metadataKey, request, outcome, sdkRequest }: SdkStreamParams,
): AsyncGenerator<ChatEvent, void, undefined> {
  const reader = new PartReader(metadataKey);
  let partCount = 0;
  let isComplete = false;
  try {
    for await (const part of stream) {
      if (part.type === 'stream-start') refuseLosses(part.warnings, request);
      if (part.type === 'response-metadata') recordMetadata(outcome, part);
      if (part.type === 'error') throw part.error;
      // Packages end a stream that was cut without a reason of the host.
      isComplete ||= part.type === 'finish' && part.finishReason.raw !== undefined;
      if (part.type === 'finish' && !isComplete) break;
      const parts = reader.read(part);
      if (parts.length > 0) {
        recordParts(outcome, parts);
        yield { parts };
      }
      partCount += 1;
      if (partCount % PARTS_PER_BATCH === 0) await yieldToEventLoop();
    }
    if (!isComplete) throw new ProviderStreamError(provider, `${provider} ended the answer early`);
  } finally {
    sdkRequest.close();
  }
}

type Part<Type extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: Type }>;

interface OpenCall {
  readonly index: number;
  hasArguments: boolean;
}

const FINISH_REASONS: Readonly<Record<LanguageModelV4FinishReason['unified'], string | undefined>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  error: undefined,
  other: undefined,
};

/** Converts the parts of one answer. Parts about errors and warnings are left to the caller. */
class PartReader {
  readonly #metadataKey: string;
  readonly #reasoning: KeptReasoning;
  readonly #calls = new Map<string, OpenCall>();

  constructor(metadataKey: string) {
    this.#metadataKey = metadataKey;
    this.#reasoning = new KeptReasoning(metadataKey);
  }

  /** Returns the parts of the model interface; none for parts that it does not have. */
  read(part: LanguageModelV4StreamPart): readonly ChatPart[] {
    switch (part.type) {
      case 'text-delta':
        return part.delta === '' ? [] : [{ type: 'text-delta', choice: 0, text: part.delta }];
      case 'reasoning-start':
      case 'reasoning-end':
        this.#reasoning.add(part.id, '', part.providerMetadata);
        return [];
      case 'reasoning-delta':
        this.#reasoning.add(part.id, part.delta, part.providerMetadata);
        return part.delta === '' ? [] : [{ type: 'reasoning-delta', choice: 0, text: part.delta }];
      case 'tool-input-start':
        return [this.#beginCall(part.id, part.toolName, '')];
      case 'tool-input-delta':
        return this.#continueCall(part);
      case 'tool-call':
        return this.#endCall(part);
      case 'source':
        return part.sourceType === 'url'
          ? [{ type: 'source', choice: 0, source: { url: part.url, ...(part.title && { title: part.title }) } }]
          : [];
      case 'finish':
        return this.#finish(part);
      default:
        return [];
    }
  }

  #beginCall(id: string, name: string, argumentsText: string): ChatPart {
    const index = this.#calls.size;
    this.#calls.set(id, { index, hasArguments: argumentsText !== '' });
    const native = index === 0 ? this.#reasoning.toNative() : undefined;
    return { type: 'tool-call-delta', choice: 0, index, id, name, arguments: argumentsText, native };
  }

  #continueCall({ id, delta }: Part<'tool-input-delta'>): readonly ChatPart[] {
    const call = this.#calls.get(id);
    if (!call || delta === '') return [];
    call.hasArguments = true;
    return [toArguments(call, delta)];
  }

  /** Some packages send the whole call only; calls without arguments have no fragments. */
  #endCall({ toolCallId, toolName, input }: Part<'tool-call'>): readonly ChatPart[] {
    const call = this.#calls.get(toolCallId);
    if (!call) return [this.#beginCall(toolCallId, toolName, input)];
    return call.hasArguments ? [] : [toArguments(call, input)];
  }

  #finish({ finishReason, usage, providerMetadata }: Part<'finish'>): readonly ChatPart[] {
    const reason = FINISH_REASONS[finishReason.unified] ?? toReason(finishReason.raw);
    const stopSequence = providerMetadata?.[this.#metadataKey]?.['stopSequence'];
    const finish: ChatPart = {
      type: 'finish',
      choice: 0,
      reason,
      stopSequence: typeof stopSequence === 'string' ? stopSequence : undefined,
    };
    const counts = toUsage(usage);
    return counts ? [finish, { type: 'usage', usage: counts }] : [finish];
  }
}

function toArguments({ index }: OpenCall, argumentsText: string): ChatPart {
  return { type: 'tool-call-delta', choice: 0, index, id: undefined, name: undefined, arguments: argumentsText };
}

/**
 * Reasons that the SDK does not know. An answer that filled the context ends as one that reached its maximum length, and
 * one that the model refused as a filtered one.
 */
function toReason(raw = 'stop'): string {
  if (raw === 'refusal') return 'content_filter';
  return /context_window/.test(raw) ? 'length' : raw;
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): TokenUsage | undefined {
  if (inputTokens.total === undefined) return undefined;
  return {
    promptTokens: inputTokens.total,
    completionTokens: outputTokens.total ?? 0,
    cachedTokens: inputTokens.cacheRead,
    cacheWriteTokens: inputTokens.cacheWrite,
    reasoningTokens: outputTokens.reasoning,
  };
}

/** Copies id, model and time of an answer to the outcome. */
function recordMetadata(outcome: GrowingOutcome, { id, modelId, timestamp }: Part<'response-metadata'>): void {
  if (id) outcome.id ??= id;
  if (modelId) outcome.reportedModel ??= modelId;
  if (timestamp && !Number.isNaN(timestamp.getTime())) outcome.createdAt ??= Math.floor(timestamp.getTime() / 1000);
}

/** Settings of the SDK that a package may leave out, by their names in chat completions. */
const PARAMS: Readonly<Record<string, string>> = {
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  seed: 'seed',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stopSequences: 'stop',
  maxOutputTokens: 'max_tokens',
  reasoning: 'reasoning_effort',
  responseFormat: 'response_format',
  toolChoice: 'tool_choice',
  toolContent: 'messages',
};

const OPTIONAL: Readonly<Record<string, OptionalSetting>> = {
  temperature: 'temperature',
  maxOutputTokens: 'maxOutputTokens',
  reasoning: 'reasoningEffort',
};

/**
 * Refuses a request of which the package has left out a part that changes the answer. The warnings come with the
 * beginning of the answer.
 * @throws UntranslatableError
 */
function refuseLosses(warnings: readonly SharedV4Warning[], { optional = [] }: ChatRequest): void {
  for (const warning of warnings) {
    if (warning.type !== 'unsupported') continue;
    const { feature, details } = warning;
    const setting = OPTIONAL[feature];
    if (setting && optional.includes(setting)) continue;
    const param = PARAMS[feature] ?? feature;
    throw new UntranslatableError(param, `is not supported by this model${details ? `: ${details}` : ''}`);
  }
}
