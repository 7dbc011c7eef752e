import type { ChatMessage, ChatRequest } from '../../core/models/contract/chat-request.ts';
import { UntranslatableError } from '../../core/models/contract/model-errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';

type Translation = Pick<ChatRequest, 'messages' | 'toolChoice' | 'responseFormat'>;

/**
 * Finds a field that changes the answer and that `ChatRequest` can't express, such as a tool that is not a function or a
 * content part with audio.
 * Providers of this protocol get it unchanged; all others would not see it.
 * @param request the translation of `fields`.
 * @param prefix path of `fields` in the body, for `param`.
 */
export function findUntranslatable(
  fields: JsonObject,
  request: Translation,
  prefix: string,
): UntranslatableError | undefined {
  const path = findPath(fields, request);
  return path === undefined ? undefined : new UntranslatableError(prefix + path, 'is not supported by this model');
}

function findPath(fields: JsonObject, { messages, toolChoice, responseFormat }: Translation): string | undefined {
  const { tools, tool_choice: choice, response_format: format, stop, reasoning_effort: effort } = fields;
  if (isGiven(choice) && toolChoice === undefined) return 'tool_choice';
  if (isGiven(format) && !isPlainText(format) && responseFormat === undefined) return 'response_format';
  if (isGiven(stop) && !isTexts(stop)) return 'stop';
  if (isGiven(effort) && typeof effort !== 'string') return 'reasoning_effort';
  return (
    (isGiven(tools) ? findOther(tools, 'tools') : undefined) ??
    findOtherPart(messages) ??
    findInMessages(fields['messages'])
  );
}

/** Finds parts other than texts, images and files. A refusal in an earlier answer is translated as text. */
function findOtherPart(messages: readonly ChatMessage[]): string | undefined {
  for (const [index, { content }] of messages.entries()) {
    const parts = typeof content === 'string' ? [] : content;
    const at = parts.findIndex((part) => part.type === 'other' && typeof part.native['refusal'] !== 'string');
    if (at >= 0) return `messages[${index}].content[${at}]`;
  }
  return undefined;
}

/** Finds calls in earlier answers that are not calls of functions. */
function findInMessages(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return undefined;
  for (const [index, message] of messages.entries()) {
    const { function_call: legacyCall, tool_calls: calls } = isJsonObject(message) ? message : {};
    if (isGiven(legacyCall)) return `messages[${index}].function_call`;
    const path = isGiven(calls) ? findOther(calls, `messages[${index}].tool_calls`) : undefined;
    if (path !== undefined) return path;
  }
  return undefined;
}

/** Returns the path of the first entry that is not a function, or of the list itself if it is none. */
function findOther(list: unknown, path: string): string | undefined {
  if (!Array.isArray(list)) return path;
  const index = list.findIndex((entry) => !isFunction(entry));
  return index < 0 ? undefined : `${path}[${index}]`;
}

function isFunction(entry: unknown): boolean {
  return isJsonObject(entry) && isJsonObject(entry['function']) && typeof entry['function']['name'] === 'string';
}

function isPlainText(format: unknown): boolean {
  return isJsonObject(format) && format['type'] === 'text';
}

function isTexts(stop: unknown): boolean {
  return [stop].flat().every((text) => typeof text === 'string');
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
