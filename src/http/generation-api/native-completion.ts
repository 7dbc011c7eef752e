import type { ChatCompletion } from '../../core/models/index.ts';
import { createId } from '../../lib/ids.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';

/** What a native answer says beside the provider's words. */
export interface NativeFacts {
  /** The model's name as the client gave it; stands in where the provider names none. */
  readonly model: string;
  /** The person's id. */
  readonly user: number;
  readonly nowSeconds: number;
}

/** The documented fields of a native completion, and no others. */
export function toNativeCompletion(completion: ChatCompletion, facts: NativeFacts): JsonObject {
  const { body, outcome } = completion;
  const promptTokens = outcome.usage?.promptTokens ?? 0;
  const completionTokens = outcome.usage?.completionTokens ?? 0;
  return {
    id: textOr(body['id'], () => createId('chatcmpl-')),
    object: 'chat.completion',
    created: integerOr(body['created'], facts.nowSeconds),
    model: textOr(body['model'], () => facts.model),
    choices: toObjects(body['choices']).map(toNativeChoice),
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
    user: facts.user,
  };
}

/** How a native answer says that the generation failed for reasons of the service. */
export function toFailedCompletion(facts: NativeFacts): JsonObject {
  return {
    id: createId('chatcmpl-'),
    object: 'chat.completion',
    created: facts.nowSeconds,
    model: facts.model,
    choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'error' }],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    user: facts.user,
  };
}

/** Turns the provider's chunks into native ones: always the same fields, content a string, usage null. */
export interface NativeChunks {
  /**
   * @param options.keepsEmpty true where a chunk without news (reasoning, tool calls) is welcome as a sign of life.
   * @returns `data: {…}\n\n`; undefined where nothing is to be sent.
   */
  translate(chunk: JsonObject, options: { readonly keepsEmpty: boolean }): string | undefined;
  /** The chunk that ends a complete answer, where the provider sent none: else empty. */
  finish(finishReason: string | undefined): string;
  /** The chunk that ends a broken answer. */
  fail(): string;
}

/** Native chunks of one reply: they share one id, time and model. */
export function createNativeChunks(facts: Omit<NativeFacts, 'user'>): NativeChunks {
  let head: JsonObject | undefined;
  let isFinished = false;

  const print = (choices: readonly JsonObject[]) => {
    head ??= toHead({}, facts);
    return `data: ${JSON.stringify({ ...head, choices, usage: null })}\n\n`;
  };
  const end = (finishReason: string) =>
    print([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: finishReason }]);

  return {
    translate(chunk, { keepsEmpty }) {
      const choices = toObjects(chunk['choices']).map(toNativeDelta);
      if (choices.length === 0) return undefined;
      const isFirst = head === undefined;
      head ??= toHead(chunk, facts);
      const isFinal = choices.some((choice) => choice.finish_reason !== null);
      isFinished ||= isFinal;
      const hasNews = isFinal || isFirst || choices.some((choice) => choice.delta.content !== '');
      return hasNews || keepsEmpty ? print(choices) : undefined;
    },
    finish: (finishReason) => (isFinished ? '' : end(finishReason ?? 'stop')),
    fail: () => end('error'),
  };
}

function toHead(chunk: JsonObject, facts: Omit<NativeFacts, 'user'>): JsonObject {
  return {
    id: textOr(chunk['id'], () => createId('chatcmpl-')),
    object: 'chat.completion.chunk',
    created: integerOr(chunk['created'], facts.nowSeconds),
    model: textOr(chunk['model'], () => facts.model),
  };
}

function toNativeChoice(choice: JsonObject, position: number): JsonObject {
  const message = isJsonObject(choice['message']) ? choice['message'] : {};
  return {
    index: integerOr(choice['index'], position),
    message: {
      role: textOr(message['role'], () => 'assistant'),
      content: toText(message['content']),
      ...('refusal' in message ? { refusal: message['refusal'] } : {}),
      ...('annotations' in message ? { annotations: message['annotations'] } : {}),
    },
    finish_reason: textOr(choice['finish_reason'], () => 'stop'),
  };
}

function toNativeDelta(choice: JsonObject, position: number) {
  const delta = isJsonObject(choice['delta']) ? choice['delta'] : {};
  const finishReason = choice['finish_reason'];
  return {
    index: integerOr(choice['index'], position),
    delta: { role: textOr(delta['role'], () => 'assistant'), content: toText(delta['content']) },
    finish_reason: typeof finishReason === 'string' ? finishReason : null,
  };
}

/** Content is text for nearly every provider; a few send lists of text parts. */
function toText(content: unknown): string {
  if (typeof content === 'string') return content;
  return toObjects(content)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

function toObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textOr(value: unknown, fallback: () => string): string {
  return typeof value === 'string' && value !== '' ? value : fallback();
}

function integerOr(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.floor(value) : fallback;
}
