import type {
  ChatChoice,
  ChatCompletion,
  ChatEvent,
  ChatPart,
  Source,
  ToolCallDelta,
} from '../../core/models/contract/chat-answer.ts';
import type { ChatOutcome } from '../../core/models/contract/chat-outcome.ts';
import type { ToolCall } from '../../core/models/contract/chat-request.ts';
import { createId } from '../../lib/ids.ts';
import type { JsonObject } from '../../lib/json/json.ts';

/** Fields shared by a completion and all its chunks. */
export interface CompletionHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/** Returns the shared fields. @param fallback values for fields that the host does not report. */
export function toHead(
  { id, createdAt, reportedModel }: Partial<ChatOutcome>,
  fallback: { readonly model: string; readonly nowMs: number },
): CompletionHead {
  return {
    id: id ?? createId('chatcmpl-'),
    created: createdAt ?? Math.floor(fallback.nowMs / 1000),
    model: reportedModel ?? fallback.model,
  };
}

/** Returns true if an event contains only usage. */
export function isUsageAlone({ parts }: ChatEvent): boolean {
  return parts.length > 0 && parts.every(({ type }) => type === 'usage');
}

const LONG_IMAGE = 64 * 1024;

/** Returns true for an image that is better printed in parts. */
export function isLongImage(part: ChatPart): boolean {
  return part.type === 'image' && part.url.length > LONG_IMAGE;
}

/** Prints a completion in OpenAI's protocol (`chat.completion`). */
export function printCompletion({ choices, outcome }: ChatCompletion, nowMs: number): JsonObject {
  return {
    ...toHead(outcome, { model: outcome.model, nowMs }),
    object: 'chat.completion',
    choices: choices.map((choice, index) => ({
      index,
      message: printMessage(choice),
      logprobs: choice.logprobs ? { content: choice.logprobs } : null,
      finish_reason: choice.finishReason,
    })),
    usage: printUsage(outcome),
  };
}

function printMessage({ text, reasoning, refusal = null, toolCalls, images, sources }: ChatChoice): JsonObject {
  return {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : text,
    refusal,
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls.map(printToolCall) } : {}),
    ...(images ? { images: images.map(printImage) } : {}),
    ...(sources ? { annotations: sources.map(printSource) } : {}),
  };
}

/** Prints an image as OpenRouter does; OpenAI's protocol has no images in answers. */
function printImage(url: string): JsonObject {
  return { type: 'image_url', image_url: { url } };
}

/** Prints the first chunk of a stream in OpenAI's protocol (`chat.completion.chunk`), which contains the role. */
export function printFirstChunk(head: CompletionHead): JsonObject {
  return printChunk(head, { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null });
}

/** Prints the chunk with the token counts, which follows all others. */
export function printUsageChunk(head: CompletionHead, outcome: ChatOutcome): JsonObject {
  return { ...printChunk(head), usage: printUsage(outcome) };
}

/** Prints a part of a stream as a chunk in OpenAI's protocol. */
export function printPart(part: ChatPart, head: CompletionHead): JsonObject {
  if (part.type === 'usage') return { ...printChunk(head), usage: printUsage(part) };
  const finishReason = part.type === 'finish' ? part.reason : null;
  const logprobs = part.type === 'text-delta' && part.logprobs ? { logprobs: { content: part.logprobs } } : {};
  return printChunk(head, { index: part.choice, delta: printDelta(part), ...logprobs, finish_reason: finishReason });
}

function printChunk(head: CompletionHead, ...choices: readonly JsonObject[]): JsonObject {
  return { ...head, object: 'chat.completion.chunk', choices, usage: null };
}

function printDelta(part: ChatPart): JsonObject {
  switch (part.type) {
    case 'text-delta':
      return { content: part.text };
    case 'reasoning-delta':
      return { reasoning_content: part.text };
    case 'refusal-delta':
      return { refusal: part.text };
    case 'tool-call-delta':
      return { tool_calls: [printToolCallDelta(part)] };
    case 'image':
      return { images: [printImage(part.url)] };
    case 'source':
      return { annotations: [printSource(part.source)] };
    case 'usage':
    case 'finish':
      return {};
  }
}

function printToolCallDelta({ index = 0, id, name, arguments: written, native }: ToolCallDelta): JsonObject {
  const called = { ...(name && { name }), arguments: written };
  return { ...native, index, ...(id && { id, type: 'function' }), function: called };
}

/** Prints a call of an answer, also of an earlier one. */
export function printToolCall({ id, name, arguments: written, native }: ToolCall): JsonObject {
  return { ...native, id, type: 'function', function: { name, arguments: written } };
}

/** Prints a source as an annotation of a message. */
export function printSource({ url, title, native }: Source): JsonObject {
  return native ? { ...native } : { type: 'url_citation', url_citation: { url, ...(title && { title }) } };
}

/** Prints token counts; 0 if there are none. */
export function printUsage(outcome: Pick<ChatOutcome, 'usage'>): JsonObject {
  const { cachedTokens, reasoningTokens } = outcome.usage ?? {};
  return {
    ...printTokenCounts(outcome),
    ...(cachedTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    ...(reasoningTokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}

/** Prints token counts without their parts. */
export function printTokenCounts({ usage }: Pick<ChatOutcome, 'usage'>): JsonObject {
  const { promptTokens = 0, completionTokens = 0 } = usage ?? {};
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
