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
  return findToolFault(body) ?? findTurnFault(body) ?? findThinkingFault(body);
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
  return undefined;
}

function findBlockFault(message: JsonObject, before: JsonObject | undefined, after: JsonObject | undefined) {
  if (message.role !== 'user' && message.role !== 'assistant') return '.role: Input should be user or assistant';
  const blocks = blocksOf(message);
  if (blocks.length === 0) return ': all messages must have non-empty content';
  for (const [index, block] of blocks.entries()) {
    const at = `.content.${index}`;
    if (block.type === 'text' && block.text === '') return `${at}.text: text content blocks must be non-empty`;
    if (block.type === 'thinking' && block.signature !== signThinking(block.thinking))
      return `${at}: Invalid \`signature\` in \`thinking\` block`;
    if (block.type === 'tool_use' && !isJsonObject(block.input))
      return `${at}.input: Input should be a valid dictionary`;
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
