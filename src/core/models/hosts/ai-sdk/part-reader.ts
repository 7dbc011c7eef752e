import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { ChatPart } from '../../contract/chat-answer.ts';
import type { GrowingOutcome, TokenUsage } from '../../contract/chat-outcome.ts';
import { KeptReasoning } from './kept-reasoning.ts';

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
export class PartReader {
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
export function recordMetadata(outcome: GrowingOutcome, { id, modelId, timestamp }: Part<'response-metadata'>): void {
  if (id) outcome.id ??= id;
  if (modelId) outcome.reportedModel ??= modelId;
  if (timestamp && !Number.isNaN(timestamp.getTime())) outcome.createdAt ??= Math.floor(timestamp.getTime() / 1000);
}
