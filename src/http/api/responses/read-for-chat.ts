import type { ChatRequest } from '../../../core/models/index.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import { readResponseRequest, toChatRequest } from '../../../protocols/openai-responses/request/read-request.ts';
import { type HistoryDeps, readHistory } from './read-history.ts';

/** Returns whether a body for chat completions is one of the Responses API, as Cursor sends it to both. */
export function isResponseBody({ messages, input }: JsonObject): boolean {
  const hasMessages = Array.isArray(messages) ? messages.length > 0 : messages !== undefined && messages !== null;
  return !hasMessages && input !== undefined && input !== null;
}

/**
 * Reads a body of the Responses API whose answer is a chat completion. Fields of chat completions are allowed in it.
 * @throws HttpError 400 that names the invalid field.
 */
export async function readForChat(deps: HistoryDeps, fields: JsonObject): Promise<ChatRequest> {
  const history = await readHistory(deps, fields);
  const body = { ...toResponseFields(fields), input: history.input, store: false, background: false };
  return toChatRequest(readResponseRequest(body, history.previousItems));
}

/** Renames the fields of chat completions. Fields under the names of the Responses API take precedence. */
function toResponseFields({
  max_tokens: maxTokens,
  max_completion_tokens: maxCompletionTokens,
  reasoning_effort: effort,
  response_format: format,
  verbosity,
  logprobs: _logprobs,
  messages: _messages,
  n,
  ...fields
}: JsonObject): JsonObject {
  const { reasoning, text, tools } = fields;
  const texts = { ...(isGiven(format) && { format: toTextFormat(format) }), ...(isGiven(verbosity) && { verbosity }) };
  return {
    ...fields,
    ...(n === 1 ? {} : { n }),
    max_output_tokens: fields['max_output_tokens'] ?? maxCompletionTokens ?? maxTokens,
    reasoning: isGiven(effort) && !isGiven(reasoning) ? { effort } : reasoning,
    text: isGiven(text) && !isJsonObject(text) ? text : { ...texts, ...(text ?? {}) },
    tools: Array.isArray(tools) ? tools.map(toFlatTool) : tools,
  };
}

function toTextFormat(format: unknown): unknown {
  const schema = isJsonObject(format) ? format['json_schema'] : undefined;
  return isJsonObject(schema) ? { ...schema, type: 'json_schema' } : format;
}

function toFlatTool(tool: unknown): unknown {
  if (!isJsonObject(tool) || !isJsonObject(tool['function'])) return tool;
  return { ...tool['function'], type: 'function' };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
