import type { ChatMessage, ChatRequest, UnknownFields } from '../../../core/models/contract/chat-request.ts';
import { isLengthField } from '../../../core/models/contract/length-fields.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { checkFields, refuseLookalikes, toKnownFields } from '../../fields/check-fields.ts';
import { readMaxTokens } from '../../fields/read-max-tokens.ts';
import { invalidRequest } from '../../http-error.ts';
import { toConversation } from './conversation.ts';
import { type InputItem, PREVIOUS_PATH, readItems } from './read-items.ts';
import { readToolChoice, type ToolSelection } from './read-tool-choice.ts';
import { type OfferedTools, readTools } from './read-tools.ts';
import { type ResponseRequestBody, responseRequestSchema } from './request-schema.ts';

/** A valid request of the Responses API. */
export interface ResponseRequest {
  readonly body: ResponseRequestBody;
  /** The conversation: items of earlier responses, then those of `input`. */
  readonly items: readonly InputItem[];
  readonly tools: OfferedTools;
  readonly selection: ToolSelection;
  readonly wantsEncryptedReasoning: boolean;
}

/**
 * Validates a request.
 * @param previous items of the responses that it continues, oldest first.
 * @throws HttpError 400 that names the invalid field.
 */
export function readResponseRequest(fields: JsonObject, previous: readonly unknown[] = []): ResponseRequest {
  refuseLookalikes(fields, KNOWN_FIELDS);
  const { input, tools: givenTools, ...settings } = fields;
  const body = checkFields(responseRequestSchema, settings);
  refuseUnsupported(fields);
  const tools = readTools(givenTools, input, previous);
  const items = [...readItems(previous, PREVIOUS_PATH), ...readItems(input)];
  if (items.length === 0) throw invalidRequest("'input' must hold at least one item.", 'input');
  return {
    body,
    items,
    tools,
    selection: readToolChoice(body.tool_choice, tools),
    wantsEncryptedReasoning: body.include?.includes('reasoning.encrypted_content') ?? false,
  };
}

/** Returns whether the client wants the response to be stored, as is the default of the API. */
export function isToBeStored({ body }: Pick<ResponseRequest, 'body'>): boolean {
  return body.store !== false;
}

/** Fields that would change the answer, each with the reason for the refusal. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  conversation: 'is not supported: send the conversation as input',
  prompt: 'is not supported: send the text of the prompt as input',
  moderation: 'is not supported',
  context_management: 'is not supported: shorten the input',
  modalities: 'is not supported: answers are text',
  audio: 'is not supported: answers are text',
  n: 'is not supported: a response has one answer',
  messages: "belongs to chat completions; use 'input'",
  max_tokens: "belongs to chat completions; use 'max_output_tokens'",
  max_completion_tokens: "belongs to chat completions; use 'max_output_tokens'",
  response_format: "belongs to chat completions; use 'text.format'",
  reasoning_effort: "belongs to chat completions; use 'reasoning.effort'",
  verbosity: "belongs to chat completions; use 'text.verbosity'",
  logprobs: "belongs to chat completions; use 'include' and 'top_logprobs'",
  functions: "belongs to chat completions; use 'tools'",
  function_call: "belongs to chat completions; use 'tool_choice'",
};

const KNOWN_FIELDS = toKnownFields([...Object.keys(responseRequestSchema.shape), ...Object.keys(UNSUPPORTED)]);

function refuseUnsupported(fields: JsonObject): void {
  if (fields['background'] === true && fields['stream'] === true) {
    throw invalidRequest("'stream' is not supported with 'background': fetch the response later.", 'stream');
  }
  if (fields['background'] === true && fields['store'] === false) {
    throw invalidRequest("'store' must be true with 'background': the response is fetched later.", 'store');
  }
  for (const [name, problem] of Object.entries(UNSUPPORTED)) {
    const value = fields[name] ?? false;
    const isEmpty = Array.isArray(value) && value.length === 0;
    if (value !== false && !isEmpty) throw invalidRequest(`'${name}' ${problem}.`, name);
  }
}

/** @throws HttpError 400 if tool calls and their results don't match. */
export function toChatRequest({ body, items, selection }: ResponseRequest): ChatRequest {
  return {
    model: body.model,
    messages: joinLeadingSystemMessages([
      ...(body.instructions ? [{ role: 'system' as const, content: body.instructions }] : []),
      ...toConversation(items),
    ]),
    tools: selection.tools,
    toolChoice: selection.toolChoice,
    allowsParallelToolCalls: selection.tools && body.parallel_tool_calls === false ? false : undefined,
    responseFormat: toResponseFormat(body),
    sampling: {
      temperature: body.temperature ?? undefined,
      topP: body.top_p ?? undefined,
      seed: body.seed ?? undefined,
      stop: typeof body.stop === 'string' ? [body.stop] : (body.stop ?? undefined),
    },
    reasoningEffort: body.reasoning?.effort ?? undefined,
    maxOutputTokens: readMaxTokens(body),
    extraFields: toExtraFields(body),
    hints: pick(body, HINTS),
  };
}

/** Joins the system messages at the beginning: the templates of many local models allow only one. */
function joinLeadingSystemMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const end = messages.findIndex(({ role }) => role !== 'system');
  const leading = messages.slice(0, end < 0 ? messages.length : end);
  if (leading.length < 2) return messages;
  const content = leading.map((message) => message.content).join('\n\n');
  return [{ role: 'system', content }, ...messages.slice(leading.length)];
}

function toResponseFormat({ text }: ResponseRequestBody): ChatRequest['responseFormat'] {
  const format = text?.format;
  if (!format || format.type === 'text') return undefined;
  if (format.type === 'json_object') return { type: 'json' };
  if (!format.schema) throw invalidRequest("'text.format.schema' is missing.", 'text.format.schema');
  return {
    type: 'json',
    schema: format.schema,
    name: format.name ?? undefined,
    description: format.description ?? undefined,
    isStrict: format.strict === true ? true : undefined,
  };
}

/** Fields that help a provider and do not change the answer. */
const HINTS = ['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options', 'safety_identifier', 'user'];

/** Fields without effect on the answer, and those that are read elsewhere. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  ...Object.keys(responseRequestSchema.shape),
  ...Object.keys(UNSUPPORTED),
  ...HINTS,
  'client_metadata',
  'stream_options',
]);

/** Chat completions have these fields as well. */
const SHARED_FIELDS = ['presence_penalty', 'frequency_penalty'];

/** Returns the settings that have no field in `ChatRequest`. Unknown fields are forwarded, as in chat completions. */
function toExtraFields(body: ResponseRequestBody): UnknownFields | undefined {
  const unknown = Object.keys(body).filter((name) => !NOT_FORWARDED.has(name) && !isLengthField(name));
  const { service_tier: tier, text, top_logprobs: topLogprobs } = body;
  const wantsLogprobs = (topLogprobs ?? 0) > 0 || body.include?.includes('message.output_text.logprobs');
  const extra = {
    ...pick(body, [...unknown, ...SHARED_FIELDS]),
    ...(tier && tier !== 'auto' && tier !== 'default' ? { service_tier: tier } : {}),
    ...(text?.verbosity ? { verbosity: text.verbosity } : {}),
    ...(wantsLogprobs ? { logprobs: true, top_logprobs: topLogprobs ?? 0 } : {}),
  };
  return Object.keys(extra).length > 0 ? extra : undefined;
}

/** Returns the given fields that have a value; undefined if none has. */
function pick(body: JsonObject, names: readonly string[]): UnknownFields | undefined {
  const fields = names.flatMap((name) => (body[name] === undefined || body[name] === null ? [] : [[name, body[name]]]));
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}
