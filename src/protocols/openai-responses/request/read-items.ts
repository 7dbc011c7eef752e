import { z } from 'zod';
import type { Content, ToolCall } from '../../../core/models/contract/chat-request.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import { checkFields, listNames } from '../../fields/check-fields.ts';
import { IMAGE_IN_HISTORY } from '../../fields/describe-image.ts';
import { MAX_PARTS } from '../../fields/field-schemas.ts';
import { invalidRequest } from '../../http-error.ts';
import { decodeReasoning, MAX_TOKEN_CHARACTERS, measureToken, type TokenReasoning } from '../reasoning-token.ts';
import { listToolNames, SEARCH_NAME, toCustomArguments, toolNameSchema, toToolName } from '../tool-names.ts';
import { readContent, readTextContent } from './read-parts.ts';

/** An item of `input`. `path` names it in errors. */
export type InputItem =
  | { readonly type: 'system'; readonly text: string }
  | { readonly type: 'user'; readonly content: Content }
  | { readonly type: 'assistant'; readonly text: string }
  /** Reasoning that the model gets back with the message or the calls that follow. */
  | ({ readonly type: 'reasoning' } & TokenReasoning)
  | { readonly type: 'call'; readonly call: ToolCall; readonly path: string }
  | { readonly type: 'result'; readonly callId: string; readonly content: Content; readonly path: string };

/** Names the items of earlier responses in errors. */
export const PREVIOUS_PATH = 'previous_response_id';

const MAX_IMAGES = 500;
/** Inputs of custom tools become JSON inside JSON; of quotes alone, this many block the event loop for 40 ms. */
const MAX_CUSTOM_CHARACTERS = 4 * 1024 * 1024;

/**
 * Reads `input`. A text is a message of the user. Items of type `additional_tools` are left to `readTools`.
 * @param path names the items in errors.
 * @throws HttpError 400 that names the invalid field.
 */
export function readItems(input: unknown, path = 'input'): readonly InputItem[] {
  if (typeof input === 'string') return [{ type: 'user', content: input }];
  if (!Array.isArray(input)) throw invalidRequest(`'${path}' must be a string or a list of items.`, path);
  checkSize(input);
  return input.flatMap((item: unknown, index) => {
    const at = `${path}[${index}]`;
    if (!isJsonObject(item)) throw invalidRequest(`'${at}' must be an object.`, at);
    return readItem(item, at) ?? [];
  });
}

/** Counts first, because reading millions of parts, large tokens or large inputs of custom tools would block the event loop. */
function checkSize(items: readonly unknown[]): void {
  let parts = items.length;
  let images = 0;
  let tokenCharacters = 0;
  let customCharacters = 0;
  for (const item of items) {
    if (!isJsonObject(item)) continue;
    tokenCharacters += measureToken(item['encrypted_content']);
    if (item['type'] === 'custom_tool_call' && typeof item['input'] === 'string') {
      customCharacters += item['input'].length;
    }
    for (const list of [item['content'], item['output']]) {
      if (!Array.isArray(list)) continue;
      parts += list.length;
      for (const part of list) if (isJsonObject(part) && part['type'] === 'input_image') images += 1;
    }
  }
  if (parts > MAX_PARTS) {
    throw invalidRequest(`'input' must not hold more than ${MAX_PARTS} items and content parts.`, 'input');
  }
  if (tokenCharacters > MAX_TOKEN_CHARACTERS) {
    const message = `The 'encrypted_content' of all items must not exceed ${MAX_TOKEN_CHARACTERS} characters.`;
    throw invalidRequest(message, 'input');
  }
  if (customCharacters > MAX_CUSTOM_CHARACTERS) {
    const message = `The 'input' of all custom tool calls must not exceed ${MAX_CUSTOM_CHARACTERS} characters.`;
    throw invalidRequest(message, 'input');
  }
  if (images > MAX_IMAGES) throw invalidRequest(`'input' must not hold more than ${MAX_IMAGES} images.`, 'input');
}

function readItem(item: JsonObject, path: string): InputItem | undefined {
  const type = item['type'] ?? (item['role'] === undefined ? undefined : 'message');
  switch (type) {
    case 'message':
      return readMessage(item, path);
    case 'reasoning':
      return readReasoning(item, path);
    case 'function_call':
    case 'custom_tool_call':
      return readCall(item, path);
    case 'function_call_output':
    case 'custom_tool_call_output':
      return readResult(item, path);
    case 'tool_search_call':
      return readSearch(item, path);
    case 'tool_search_output':
      return readSearchResult(item, path);
    case 'image_generation_call':
      return readImageCall(item, path);
    case 'additional_tools':
      return undefined;
    default:
      throw invalidRequest(`'${path}.type' must be one of ${listNames(ITEM_TYPES)}.`, `${path}.type`);
  }
}

const ITEM_TYPES = [
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'tool_search_call',
  'tool_search_output',
  'image_generation_call',
];

const ROLES = ['user', 'assistant', 'system', 'developer'] as const;
const messageSchema = z.looseObject({ role: z.enum(ROLES, `must be one of ${listNames(ROLES)}`) });

function readMessage(item: JsonObject, path: string): InputItem {
  const { role } = checkFields(messageSchema, item, path);
  const at = `${path}.content`;
  switch (role) {
    case 'user':
      return { type: 'user', content: readUserContent(item['content'], at) };
    case 'assistant':
      return { type: 'assistant', text: readTextContent(item['content'], at) };
    case 'system':
    case 'developer':
      return { type: 'system', text: readTextContent(item['content'], at) };
  }
}

function readUserContent(given: unknown, path: string): Content {
  const content = readContent(given, path);
  if (typeof content !== 'string' && content.length === 0) {
    throw invalidRequest(`'${path}' must hold at least one content part.`, path);
  }
  return content;
}

const reasoningSchema = z.looseObject({
  encrypted_content: z.string('must be a string').nullish(),
  content: z.array(z.looseObject({ text: z.string('must be a string') }), 'must be a list').nullish(),
});

/**
 * Reads the reasoning that hosts require in the next request: answers repeat only such reasoning in `encrypted_content`
 * and `content`. Summaries and tokens of other services are ignored.
 */
function readReasoning(item: JsonObject, path: string): InputItem {
  const { encrypted_content: token, content } = checkFields(reasoningSchema, item, path);
  const kept = token ? decodeReasoning(token) : undefined;
  const text = (content ?? []).map((part) => part.text).join('\n\n');
  return { type: 'reasoning', ...(kept ?? { text, extraContent: new Map() }) };
}

const callIdSchema = z.string('must be the id of the call').min(1, 'must be the id of the call');
const callSchema = z.looseObject({ call_id: callIdSchema, name: toolNameSchema, namespace: toolNameSchema.nullish() });
const functionCallSchema = z.looseObject({ arguments: z.string('must be a string of JSON') });
const customCallSchema = z.looseObject({ input: z.string('must be a string') });

function readCall(item: JsonObject, path: string): InputItem {
  const { call_id: id, name, namespace } = checkFields(callSchema, item, path);
  const extra = item['extra_content'];
  const call: ToolCall = {
    id,
    name: toToolName(name, namespace),
    arguments:
      item['type'] === 'function_call'
        ? checkFields(functionCallSchema, item, path).arguments
        : toCustomArguments(checkFields(customCallSchema, item, path).input),
    ...(isJsonObject(extra) ? { native: { extra_content: extra } } : {}),
  };
  return { type: 'call', call, path };
}

const imageCallSchema = z.looseObject({ result: z.string('must be an image as base64').nullish() });

/** An image of an earlier answer. */
function readImageCall(item: JsonObject, path: string): InputItem | undefined {
  const { result } = checkFields(imageCallSchema, item, path);
  return result ? { type: 'assistant', text: IMAGE_IN_HISTORY } : undefined;
}

const resultSchema = z.looseObject({ call_id: callIdSchema });
const searchResultSchema = resultSchema.extend({ tools: z.array(z.unknown(), 'must be a list of tools') });

function readResult(item: JsonObject, path: string): InputItem {
  const { call_id: callId } = checkFields(resultSchema, item, path);
  return { type: 'result', callId, content: readContent(item['output'], `${path}.output`), path };
}

function readSearch(item: JsonObject, path: string): InputItem {
  const { call_id: id } = checkFields(resultSchema, item, path);
  const call = { id, name: SEARCH_NAME, arguments: JSON.stringify(item['arguments'] ?? {}) };
  return { type: 'call', call, path };
}

/** The tools themselves are offered with those of the request. */
function readSearchResult(item: JsonObject, path: string): InputItem {
  const { call_id: callId, tools } = checkFields(searchResultSchema, item, path);
  const names = listToolNames(tools);
  const content = names.length === 0 ? 'No tools were found.' : `These tools are available now: ${names.join(', ')}`;
  return { type: 'result', callId, content, path };
}
