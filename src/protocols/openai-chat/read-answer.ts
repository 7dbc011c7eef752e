import {
  type ChatChoice,
  type ChatPart,
  MAX_CHOICES,
  MAX_TOOL_CALLS,
  type Source,
} from '../../core/models/contract/chat-answer.ts';
import { type GrowingOutcome, isUsableName } from '../../core/models/contract/chat-outcome.ts';
import type { ToolCall } from '../../core/models/contract/chat-request.ts';
import { createId } from '../../lib/ids.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { listMessageImages, toImageUrl } from '../openai-media/images/image-entries.ts';
import { printArguments } from '../print-arguments.ts';
import { readUsage } from './read-usage.ts';

/** Maximum entries that are read of one list. */
const MAX_ENTRIES = 1000;
const NO_SOURCES: readonly Source[] = [];

/** Returns the `choices` of a completion or chunk that are objects. */
export function choicesOf(body: JsonObject): readonly JsonObject[] {
  if (!Array.isArray(body.choices)) return [];
  const { choices } = body;
  return (choices.length > MAX_CHOICES ? choices.slice(0, MAX_CHOICES) : choices).filter(isJsonObject);
}

/** Reads the choices of a whole completion. */
export function readChoices(completion: JsonObject): readonly ChatChoice[] {
  const topLevelSources = readTopLevelSources(completion);
  return choicesOf(completion).map((choice) => {
    const message = isJsonObject(choice.message) ? choice.message : {};
    const sources = readSources(message);
    const images = readImages(message);
    return {
      text: readText(message.content),
      logprobs: readLogprobs(choice),
      reasoning: readReasoning(message) || undefined,
      reasoningMustBeSentBack: mustBeSentBack(message) || undefined,
      refusal: message.refusal === null ? null : readRefusal(message) || undefined,
      toolCalls: listOf(message.tool_calls).slice(0, MAX_TOOL_CALLS).filter(isJsonObject).map(readToolCall),
      ...(images.length > 0 ? { images } : {}),
      sources: sources ? [...topLevelSources, ...sources] : topLevelSources.length > 0 ? topLevelSources : undefined,
      finishReason: readFinishReason(choice) ?? 'stop',
      stopSequence: readStopSequence(choice),
    };
  });
}

/** Reads the parts of a chunk (`chat.completion.chunk`). */
export function readParts(chunk: JsonObject): readonly ChatPart[] {
  const parts: ChatPart[] = [];
  for (const source of readTopLevelSources(chunk)) parts.push({ type: 'source', choice: 0, source });
  for (const [position, choice] of choicesOf(chunk).entries()) {
    const index = typeof choice.index === 'number' && Number.isFinite(choice.index) ? choice.index : position;
    // Some hosts repeat the whole message in the last chunk; only its sources are used.
    const delta = isJsonObject(choice.delta) ? choice.delta : {};
    readDelta(delta, readLogprobs(choice), index, parts);
    const sources = readSources(delta) ?? (isJsonObject(choice.message) ? readSources(choice.message) : undefined);
    for (const source of sources ?? []) parts.push({ type: 'source', choice: index, source });
    const reason = readFinishReason(choice);
    if (reason !== undefined)
      parts.push({ type: 'finish', choice: index, reason, stopSequence: readStopSequence(choice) });
  }
  const usage = readUsage(chunk);
  if (usage) parts.push({ type: 'usage', usage });
  return parts;
}

function readDelta(delta: JsonObject, logprobs: ReturnType<typeof readLogprobs>, choice: number, parts: ChatPart[]) {
  const text = readText(delta.content);
  if (text !== '') parts.push({ type: 'text-delta', choice, text, ...(logprobs ? { logprobs } : {}) });
  const reasoning = readReasoning(delta);
  if (reasoning !== '') {
    parts.push({ type: 'reasoning-delta', choice, text: reasoning, mustBeSentBack: mustBeSentBack(delta) });
  }
  const refusal = readRefusal(delta);
  if (refusal !== '') parts.push({ type: 'refusal-delta', choice, text: refusal });
  for (const url of readImages(delta)) parts.push({ type: 'image', choice, url });
  for (const fragment of listOf(delta.tool_calls)) {
    if (!isJsonObject(fragment)) continue;
    const { index, id, type: _type, function: functionCall, ...native } = fragment;
    const { name, arguments: argumentsField } = isJsonObject(functionCall) ? functionCall : {};
    parts.push({
      type: 'tool-call-delta',
      choice,
      index: typeof index === 'number' ? index : undefined,
      id: typeof id === 'string' && id !== '' ? id : undefined,
      name: typeof name === 'string' && name !== '' ? name : undefined,
      arguments: readArguments(argumentsField),
      native,
    });
  }
}

/** Reads content as text; a few providers send lists of text parts. */
function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => (isJsonObject(part) && typeof part.text === 'string' ? part.text : ''))
    .join('');
}

function readImages(message: JsonObject): readonly string[] {
  const images = listMessageImages(message);
  return images.length === 0 ? [] : listOf(images).flatMap((entry) => toImageUrl(entry) ?? []);
}

/** Reads `refusal` of a message or delta, or of the parts of its content. */
function readRefusal({ refusal, content }: JsonObject): string {
  if (typeof refusal === 'string') return refusal;
  if (!Array.isArray(content)) return '';
  const refusals = listOf(content).map((part) => (isJsonObject(part) ? part.refusal : undefined));
  return refusals.filter((part) => typeof part === 'string').join('');
}

/** Reads `reasoning_content` (DeepSeek, vLLM and others) or `reasoning` (OpenRouter, Groq). */
function readReasoning({ reasoning_content: content, reasoning }: JsonObject): string {
  if (typeof content === 'string' && content !== '') return content;
  return typeof reasoning === 'string' ? reasoning : '';
}

/**
 * DeepSeek and Kimi refuse the next request without it: https://api-docs.deepseek.com/guides/thinking_mode. All hosts
 * that send `reasoning_content` get it back; hosts that send `reasoning` refuse it.
 */
function mustBeSentBack({ reasoning_content: content }: JsonObject): boolean {
  return typeof content === 'string' && content !== '';
}

function readLogprobs({ logprobs }: JsonObject): readonly JsonObject[] | undefined {
  const entries = isJsonObject(logprobs) ? logprobs.content : undefined;
  return Array.isArray(entries) ? entries.filter(isJsonObject) : undefined;
}

function readToolCall(call: JsonObject): ToolCall {
  const { id, type: _type, index: _index, function: functionCall, ...native } = call;
  const { name, arguments: argumentsField } = isJsonObject(functionCall) ? functionCall : {};
  return {
    id: typeof id === 'string' && id !== '' ? id : createId('call_'),
    name: typeof name === 'string' ? name : '',
    arguments: readArguments(argumentsField),
    native,
  };
}

function readArguments(argumentsField: unknown): string {
  const isWritten = typeof argumentsField === 'string' || isJsonObject(argumentsField);
  return isWritten ? printArguments(argumentsField) : '';
}

/** Reads the `annotations` of a message or delta (OpenAI, OpenRouter); undefined if there are none. */
function readSources({ annotations }: JsonObject): readonly Source[] | undefined {
  if (!Array.isArray(annotations)) return undefined;
  return listOf(annotations)
    .filter(isJsonObject)
    .map((annotation) => {
      const cited = isJsonObject(annotation.url_citation) ? annotation.url_citation : annotation;
      return { ...toSource(cited), native: annotation };
    });
}

/** Reads the top-level `citations` and `search_results`, which Perplexity repeats in every chunk. */
function readTopLevelSources({ citations, search_results: results }: JsonObject): readonly Source[] {
  if (citations === undefined && results === undefined) return NO_SOURCES;
  return [...listOf(citations), ...listOf(results)].flatMap((cited) => {
    const source = typeof cited === 'string' ? { url: cited } : isJsonObject(cited) ? toSource(cited) : undefined;
    return source?.url === undefined ? [] : [source];
  });
}

function toSource({ url, title }: JsonObject): Source {
  return { url: typeof url === 'string' ? url : undefined, ...(typeof title === 'string' ? { title } : {}) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_ENTRIES) : [];
}

/** Reads the reason why a choice ended; undefined before its end. */
export function readFinishReason({ finish_reason: reason }: JsonObject): string | undefined {
  return isUsableName(reason) ? reason : undefined;
}

/** Reads `stop_reason` (vLLM) or `matched_stop` (SGLang), which are numbers for the tokens that end an answer. */
function readStopSequence({ stop_reason: stopReason, matched_stop: matchedStop }: JsonObject): string | undefined {
  return [stopReason, matchedStop].find((sequence) => typeof sequence === 'string');
}

/** Copies id, model and creation time of a completion or chunk to the outcome. */
export function recordIdentity(outcome: GrowingOutcome, { id, model, created }: JsonObject): void {
  if (isUsableName(id)) outcome.id ??= id;
  if (isUsableName(model)) outcome.reportedModel ??= model;
  if (typeof created === 'number' && Number.isFinite(created)) outcome.createdAt ??= Math.floor(created);
}
