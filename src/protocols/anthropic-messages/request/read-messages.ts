import { z } from 'zod';
import type {
  AssistantMessage,
  Cached,
  ChatMessage,
  Content,
  ContentPart,
  ToolCall,
} from '../../../core/models/contract/chat-request.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { checkFields } from '../../fields/check-fields.ts';
import { invalidRequest } from '../../http-error.ts';
import { type CarriedFields, readSignature } from '../carried-fields.ts';
import { Conversation } from './conversation.ts';
import { readCached, readPart } from './read-blocks.ts';
import type { RequestMessage } from './request-schema.ts';
import type { TranslationProblems } from './untranslatable.ts';

const stringSchema = z.string('must be a string');
const idSchema = z.string('must be the id of a tool call').min(1, 'must be the id of a tool call');

/**
 * Reads the system prompt.
 * @throws HttpError 400
 */
export function readSystem(
  system: RequestMessage['content'] | null | undefined,
  path: string,
  problems: TranslationProblems,
): readonly ChatMessage[] {
  if (!system || system.length === 0) return [];
  return [{ role: 'system', content: readTexts(system, path, problems) }];
}

/**
 * Reads the conversation. Tool results become messages of their own, directly after the message with the calls.
 * @throws HttpError 400 that names the invalid field.
 */
export function readMessages(
  messages: readonly RequestMessage[],
  problems: TranslationProblems,
): readonly ChatMessage[] {
  const conversation = new Conversation(problems);
  for (const [index, { role, content }] of messages.entries()) {
    const path = `messages[${index}]`;
    if (role === 'assistant') conversation.addAssistant(readAssistant(content, `${path}.content`, problems), path);
    else if (role === 'system') conversation.add(readSystem(content, `${path}.content`, problems));
    else readUser(content, `${path}.content`, conversation, problems);
  }
  return conversation.end();
}

function readUser(
  content: RequestMessage['content'],
  path: string,
  conversation: Conversation,
  problems: TranslationProblems,
): void {
  if (typeof content === 'string') {
    conversation.add([{ role: 'user', content }]);
    return;
  }
  if (content.length === 0) throw invalidRequest(`'${path}' must hold at least one content block.`, path);
  const parts: ContentPart[] = [];
  for (const [index, block] of content.entries()) {
    const at = `${path}[${index}]`;
    if (block.type === 'tool_result') readToolResult(block, at, conversation, problems);
    else parts.push(...readPartOrRefuse(block, at, problems));
  }
  if (parts.length > 0) conversation.add([{ role: 'user', content: joinTexts(parts, '\n\n') }]);
}

const toolResultSchema = z.looseObject({
  tool_use_id: idSchema,
  content: z
    .union(
      [z.string(), z.array(z.looseObject({ type: z.string() }))],
      'must be a string or a list of content blocks, each an object with a "type"',
    )
    .nullish(),
  is_error: z.boolean('must be true or false').nullish(),
});

const TOOL_RESULT_FIELDS = new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']);

function readToolResult(block: JsonObject, path: string, conversation: Conversation, problems: TranslationProblems) {
  problems.addUnknown(block, TOOL_RESULT_FIELDS, `${path}.`);
  const { tool_use_id: id, content, is_error: isError } = checkFields(toolResultSchema, block, path);
  const parts: ContentPart[] = isError ? [{ type: 'text', text: 'Error:' }] : [];
  if (typeof content === 'string') parts.push({ type: 'text', text: content });
  else {
    for (const [index, part] of (content ?? []).entries())
      parts.push(...readPartOrRefuse(part, `${path}.content[${index}]`, problems));
  }
  conversation.addResult({ toolCallId: id, content: joinTexts(parts, '\n'), ...readCached(block) }, path);
}

const thinkingSchema = z.looseObject({ thinking: stringSchema });

function readAssistant(
  content: RequestMessage['content'],
  path: string,
  problems: TranslationProblems,
): AssistantMessage {
  if (typeof content === 'string') return { role: 'assistant', content };
  const parts: ContentPart[] = [];
  const toolCalls: ToolCall[] = [];
  let reasoning = '';
  let carried: CarriedFields = {};
  for (const [index, block] of content.entries()) {
    const at = `${path}[${index}]`;
    if (block.type === 'tool_use') {
      toolCalls.push(readToolUse(block, at, carried, problems));
      carried = {};
    } else if (block.type === 'thinking') {
      const { thinking } = checkFields(thinkingSchema, block, at);
      carried = readSignature(block['signature']);
      reasoning += carried.reasoning ?? (carried.mustBeSentBack ? thinking : '');
    } else if (block.type !== 'redacted_thinking') parts.push(...readPartOrRefuse(block, at, problems));
  }
  return {
    role: 'assistant',
    content: joinTexts(parts, ''),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

const toolUseSchema = z.looseObject({
  id: idSchema,
  name: z.string('must be the name of a tool').min(1, 'must be the name of a tool'),
  input: z.looseObject({}, 'must be an object'),
});

const TOOL_USE_FIELDS = new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller']);

function readToolUse(
  block: JsonObject,
  path: string,
  { toolCall: native }: CarriedFields,
  problems: TranslationProblems,
): ToolCall {
  problems.addUnknown(block, TOOL_USE_FIELDS, `${path}.`);
  const { id, name, input } = checkFields(toolUseSchema, block, path);
  return { id, name, arguments: JSON.stringify(input), ...(native && { native }) };
}

function readPartOrRefuse(
  block: { readonly type: string } & JsonObject,
  path: string,
  problems: TranslationProblems,
): readonly ContentPart[] {
  const parts = readPart(block, { path, problems });
  if (!parts) problems.addUnsupported(`${path}.type`, block.type);
  return parts ?? [];
}

function readTexts(content: RequestMessage['content'], path: string, problems: TranslationProblems): Content {
  if (typeof content === 'string') return content;
  const parts = content.flatMap((block, index) => {
    if (block.type !== 'text')
      throw invalidRequest(`'${path}[${index}].type' must be 'text'.`, `${path}[${index}].type`);
    return readPartOrRefuse(block, `${path}[${index}]`, problems);
  });
  return joinTexts(parts, '\n\n');
}

/**
 * Returns texts alone as one string, because some hosts accept only strings. They are divided where a cache may end; all
 * of them together are the same string.
 */
function joinTexts(parts: readonly ContentPart[], separator: string): Content {
  const joined: { type: 'text'; text: string; cacheControl?: Cached['cacheControl'] }[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.type !== 'text') return parts;
    const text = index === 0 ? part.text : separator + part.text;
    const open = joined.at(-1)?.cacheControl ? undefined : joined.at(-1);
    if (!open) joined.push({ ...part, text });
    else Object.assign(open, part, { text: open.text + text });
  }
  return joined.some(({ cacheControl }) => cacheControl) ? joined : joined.map(({ text }) => text).join('');
}
