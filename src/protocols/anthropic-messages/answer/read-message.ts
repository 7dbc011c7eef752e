import {
  type ChatChoice,
  MAX_SOURCES,
  MAX_TOOL_CALLS,
  type Source,
} from '../../../core/models/contract/chat-answer.ts';
import { type GrowingOutcome, isUsableName, type TokenUsage } from '../../../core/models/contract/chat-outcome.ts';
import { createId } from '../../../lib/ids.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import { printArguments } from '../../print-arguments.ts';
import { toTokenCount } from '../../token-count.ts';
import { keepBlocks, toKeptBlock } from '../kept-blocks.ts';

/** Reads a whole message. */
export function readChoice(message: JsonObject): ChatChoice {
  const blocks = Array.isArray(message.content) ? message.content.filter(isJsonObject) : [];
  const calls = blocks.filter(({ type }) => type === 'tool_use').slice(0, MAX_TOOL_CALLS);
  const kept = keepBlocks(blocks.map(toKeptBlock).filter((block) => block !== undefined));
  const sources = blocks
    .flatMap(({ citations }) => (Array.isArray(citations) ? citations : []))
    .slice(0, MAX_SOURCES)
    .flatMap(toSources);
  return {
    text: joinTexts(blocks, 'text', 'text'),
    reasoning: joinTexts(blocks, 'thinking', 'thinking') || undefined,
    refusal: readRefusal(message) ?? null,
    toolCalls: calls.map(({ id, name, input }, index) => ({
      id: typeof id === 'string' && id !== '' ? id : createId('call_'),
      name: String(name ?? ''),
      arguments: printArguments(input ?? {}),
      ...(index === 0 && kept ? { native: kept } : {}),
    })),
    sources: sources.length > 0 ? sources : undefined,
    finishReason: readFinishReason(message) ?? 'stop',
    ...readStopSequence(message),
  };
}

function joinTexts(blocks: readonly JsonObject[], type: string, field: string): string {
  return blocks.map((block) => (block.type === type ? String(block[field] ?? '') : '')).join('');
}

/** Returns a citation of a web page as a list of one source; other citations are of documents in the request. */
export function toSources(citation: unknown): readonly Source[] {
  if (!isJsonObject(citation) || typeof citation.url !== 'string') return [];
  return [{ url: citation.url, ...(typeof citation.title === 'string' ? { title: citation.title } : {}) }];
}

/** Returns why the model declines, if the host explains it. */
export function readRefusal({ stop_details: details }: JsonObject): string | undefined {
  const explanation = isJsonObject(details) ? details.explanation : undefined;
  return typeof explanation === 'string' && explanation !== '' ? explanation : undefined;
}

/** `pause_turn`: the answer is unfinished, as it is at a limit. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  pause_turn: 'length',
  refusal: 'content_filter',
};

export function readFinishReason({ stop_reason: reason }: JsonObject): string | undefined {
  if (!isUsableName(reason)) return undefined;
  return Object.hasOwn(FINISH_REASONS, reason) ? FINISH_REASONS[reason] : reason;
}

export function readStopSequence({ stop_sequence: sequence }: JsonObject): { readonly stopSequence?: string } {
  return typeof sequence === 'string' ? { stopSequence: sequence } : {};
}

/** Returns the token counts, or undefined if the host reports none or invalid ones. */
export function readUsage(usage: JsonObject): TokenUsage | undefined {
  const [input, written, read, output, reasoning, writtenForHour] = [
    usage.input_tokens,
    usage.cache_creation_input_tokens,
    usage.cache_read_input_tokens,
    usage.output_tokens,
    isJsonObject(usage.output_tokens_details) ? usage.output_tokens_details.thinking_tokens : undefined,
    isJsonObject(usage.cache_creation) ? usage.cache_creation.ephemeral_1h_input_tokens : undefined,
  ].map(toTokenCount);
  if (input === 'wrong' || written === 'wrong' || read === 'wrong' || output === 'wrong') return undefined;
  if (input === undefined || output === undefined) return undefined;
  return {
    promptTokens: input + (written ?? 0) + (read ?? 0),
    completionTokens: output,
    ...(read === undefined ? {} : { cachedTokens: read }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(typeof writtenForHour === 'number' ? { cacheWriteHourTokens: writtenForHour } : {}),
    ...(typeof reasoning === 'number' ? { reasoningTokens: reasoning } : {}),
  };
}

/** Copies id and model of a message to the outcome. */
export function recordIdentity(outcome: GrowingOutcome, { id, model }: JsonObject): void {
  if (isUsableName(id)) outcome.id = id;
  if (isUsableName(model)) outcome.reportedModel = model;
}
