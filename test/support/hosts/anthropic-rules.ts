import { createHmac } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../../src/lib/json/json.ts';
import type { FakeRequest } from './fake-provider.ts';

interface Fault {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

const FIELDS: ReadonlySet<string> = new Set([
  ...['model', 'max_tokens', 'messages', 'system', 'stream', 'stop_sequences', 'temperature', 'top_p', 'top_k'],
  ...['tools', 'tool_choice', 'thinking', 'output_config', 'metadata', 'service_tier', 'cache_control', 'container'],
  ...['context_management', 'mcp_servers'],
]);

/** Returns the reason for which Anthropic's API would refuse a request, or undefined for a valid one. */
export function findMessagesFault({ headers, body }: FakeRequest): Fault | undefined {
  if (headers['x-api-key'] === undefined && headers.authorization === undefined)
    return { status: 401, type: 'authentication_error', message: 'x-api-key header is required' };
  const message = findFault(headers['anthropic-version'], body);
  return message === undefined ? undefined : { status: 400, type: 'invalid_request_error', message };
}

function findFault(version: unknown, body: JsonObject): string | undefined {
  if (version === undefined) return 'anthropic-version: header is required';
  const extra = Object.keys(body).find((field) => !FIELDS.has(field));
  if (extra !== undefined) return `${extra}: Extra inputs are not permitted`;
  if (typeof body.max_tokens !== 'number') return 'max_tokens: Field required';
  return (
    findSettingFault(body) ??
    findToolFault(body) ??
    findSystemFault(body) ??
    findCacheFault(body) ??
    findTurnFault(body) ??
    findIdFault(body) ??
    findThinkingFault(body)
  );
}

function findSettingFault({ stop_sequences: stops, thinking, ...body }: JsonObject): string | undefined {
  if (Array.isArray(stops) && stops.some((stop) => isBlank(stop)))
    return 'stop_sequences: each stop sequence must contain non-whitespace';
  if (!isJsonObject(thinking) || thinking.type === 'disabled') {
    const edits = isJsonObject(body.context_management) ? body.context_management.edits : undefined;
    const needsThinking = Array.isArray(edits) && edits.some(({ type }) => type === 'clear_thinking_20251015');
    return needsThinking
      ? '`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive'
      : undefined;
  }
  const { tool_choice: choice, temperature = 1, top_p: topP = 1, top_k: topK } = body;
  if (isJsonObject(choice) && (choice.type === 'any' || choice.type === 'tool'))
    return 'Thinking may not be enabled when tool_choice forces tool use.';
  if (temperature !== 1) return '`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.';
  if (Number(topP) < 0.95) return '`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.';
  return topK === undefined ? undefined : '`top_k` must be unset when thinking is enabled or in adaptive mode.';
}

function findSystemFault({ system }: JsonObject): string | undefined {
  const blocks = system === undefined ? [] : blocksOf({ content: system });
  return blocks.some(({ text }) => isBlank(text))
    ? 'system: text content blocks must contain non-whitespace text'
    : undefined;
}

const MAX_BREAKPOINTS = 4;

function findCacheFault({ system, tools = [], messages }: JsonObject): string | undefined {
  const turns = Array.isArray(messages) ? messages.filter(isJsonObject).flatMap(blocksOf) : [];
  const lists = [blocksOf({ content: system }), tools, turns, turns.flatMap(blocksOf)];
  const count = lists.flat().filter((block) => isJsonObject(block) && block.cache_control !== undefined).length;
  if (count <= MAX_BREAKPOINTS) return undefined;
  return `A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${count}.`;
}

/** Ids of calls are distinct in the whole conversation. */
function findIdFault({ messages }: JsonObject): string | undefined {
  const seen = new Set<unknown>();
  for (const [index, message] of (Array.isArray(messages) ? messages : []).entries()) {
    for (const [at, { type, id }] of blocksOf(message).entries()) {
      if (type !== 'tool_use') continue;
      if (seen.has(id)) return `messages.${index}.content.${at}: \`tool_use\` ids must be unique`;
      seen.add(id);
    }
  }
  return undefined;
}

function isBlank(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === '';
}

/** With a budget, the answer whose tools have just been called must begin with thinking. */
function findThinkingFault({ thinking, messages }: JsonObject): string | undefined {
  const answer = Array.isArray(messages) ? messages.at(-2) : undefined;
  const isManual = isJsonObject(thinking) && thinking.type === 'enabled';
  if (!isManual || !isJsonObject(answer) || answer.role !== 'assistant') return undefined;
  const [first, ...others] = blocksOf(answer);
  const hasCall = others.some(({ type }) => type === 'tool_use') || first?.type === 'tool_use';
  if (!hasCall || first?.type === 'thinking' || first?.type === 'redacted_thinking') return undefined;
  return `messages.1.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first?.type)}\``;
}

function findToolFault({ tools = [], tool_choice: choice }: JsonObject): string | undefined {
  if (!Array.isArray(tools)) return 'tools: Input should be a valid list';
  const wrong = tools.findIndex(({ name, input_schema: schema }) => !name || schema?.type !== 'object');
  if (wrong >= 0) return `tools.${wrong}.custom.input_schema.type: Field required`;
  const misnamed = tools.findIndex(({ name }) => !/^[\w-]{1,128}$/.test(name));
  if (misnamed >= 0) return `tools.${misnamed}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
  return choice !== undefined && tools.length === 0
    ? 'tool_choice: tool_choice may only be specified while providing tools'
    : undefined;
}

function findTurnFault({ messages }: JsonObject): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return 'messages: at least one message is required';
  for (const [index, message] of messages.entries()) {
    const fault = findBlockFault(message, messages[index - 1], messages[index + 1]);
    if (fault !== undefined) return `messages.${index}${fault}`;
  }
  const last = messages.at(-1);
  const end = last.role === 'assistant' ? blocksOf(last).at(-1)?.text : undefined;
  return typeof end === 'string' && end !== end.trimEnd()
    ? 'messages: final assistant content cannot end with trailing whitespace'
    : undefined;
}

function findBlockFault(message: JsonObject, before: JsonObject | undefined, after: JsonObject | undefined) {
  if (message.role !== 'user' && message.role !== 'assistant') return '.role: Input should be user or assistant';
  const blocks = blocksOf(message);
  if (blocks.length === 0) return ': all messages must have non-empty content';
  for (const [index, block] of blocks.entries()) {
    const at = `.content.${index}`;
    if (block.type === 'text' && block.text === '') return `${at}.text: text content blocks must be non-empty`;
    if (block.type === 'text' && isBlank(block.text))
      return `${at}: text content blocks must contain non-whitespace text`;
    if (block.type === 'tool_result' && blocksOf(block).some(({ text }) => isBlank(text)))
      return `${at}.content: text content blocks must contain non-whitespace text`;
    if (block.type === 'thinking' && block.signature !== signThinking(block.thinking))
      return `${at}: Invalid \`signature\` in \`thinking\` block`;
    if (block.type === 'tool_use' && !isJsonObject(block.input))
      return `${at}.input: Input should be a valid dictionary`;
    if (block.type === 'tool_use' && !/^[\w-]+$/.test(String(block.id)))
      return `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
    if (block.type === 'tool_use' && !has(after, 'tool_use_id', block.id))
      return `: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${String(block.id)}`;
    if (block.type === 'tool_result' && !has(before, 'id', block.tool_use_id))
      return `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(block.tool_use_id)}`;
  }
  return undefined;
}

function has(message: JsonObject | undefined, field: string, id: unknown): boolean {
  return message !== undefined && blocksOf(message).some((block) => block[field] === id);
}

function blocksOf({ content }: JsonObject): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

/** Returns a thinking block that the fake host accepts when it is sent back. */
export function thinkingBlock(thinking: string): JsonObject {
  return { type: 'thinking', thinking, signature: signThinking(thinking) };
}

/** Returns the signature of a thinking block. It has characters of base64 that are easily changed on the way. */
function signThinking(thinking: unknown): string {
  return `+/${createHmac('sha256', 'fake').update(String(thinking)).digest('base64')}`;
}
