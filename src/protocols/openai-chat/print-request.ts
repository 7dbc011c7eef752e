import {
  type ChatMessage,
  type ChatRequest,
  type Content,
  type ContentPart,
  listTexts,
  type ToolCall,
  type ToolDefinition,
} from '../../core/models/contract/chat-request.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { withoutUndefined } from '../../lib/json/without-undefined.ts';
import { CallIds } from '../call-ids.ts';
import type { OptionalParameter } from '../optional-parameter.ts';
import { printToolCall } from './print-answer.ts';
import { CALL_IDS, listMessageFallbacks, toAcceptedBody, toOwnFields, toParameters } from './vendor-rules.ts';

/** What hosts of OpenAI's protocol take beyond it. */
export interface ChatBodyOptions {
  /** As in `OpenAiCompatibleConfig`. */
  readonly takesCacheControl?: boolean | undefined;
}

/** Converts a request to OpenAI's format, without `stream` and without the parameters of `toFallbackParameters`. */
export function toChatBody(request: ChatRequest, options: ChatBodyOptions = {}): JsonObject {
  const { model, native } = request;
  if (native?.dialect === 'chat-completions') {
    const { stream: _stream, stream_options: _streamOptions, ...body } = toAcceptedBody(native.body);
    return { ...body, model };
  }
  const { tools, toolChoice, responseFormat, sampling = {}, optional = [] } = request;
  return withoutUndefined({
    ...request.extraFields,
    model,
    messages: toMessages(request.messages, options),
    tools: tools?.map((tool) => toTool(tool, options)),
    tool_choice:
      typeof toolChoice === 'object' ? { type: 'function', function: { name: toolChoice.name } } : toolChoice,
    parallel_tool_calls: request.allowsParallelToolCalls,
    response_format: responseFormat && toResponseFormat(responseFormat),
    temperature: optional.includes('temperature') ? undefined : sampling.temperature,
    top_p: sampling.topP,
    seed: sampling.seed,
    stop: sampling.stop,
    reasoning_effort: optional.includes('reasoningEffort') ? undefined : request.reasoningEffort,
    n: request.choiceCount,
  });
}

/**
 * Returns the parameters that hosts may refuse: the optional settings, the hints, and the maximum length, which OpenAI's
 * reasoning models accept only under its newer name.
 */
export function toFallbackParameters(request: ChatRequest): readonly OptionalParameter[] {
  const { native, optional = [], sampling, maxOutputTokens, reasoningEffort } = request;
  if (native?.dialect === 'chat-completions') {
    const isMissing =
      maxOutputTokens !== undefined && !LENGTH_FIELDS.some((name) => typeof native.body[name] === 'number');
    return [
      ...listMessageFallbacks(request.messages),
      ...(isMissing ? [toLengthParameter(request, maxOutputTokens)] : []),
    ];
  }
  const parameters: OptionalParameter[] = [...listMessageFallbacks(request.messages)];
  if (optional.includes('temperature') && sampling?.temperature !== undefined)
    parameters.push({ name: 'temperature', about: /temperature/i, ways: [{ temperature: sampling.temperature }] });
  if (optional.includes('reasoningEffort') && reasoningEffort !== undefined)
    parameters.push(toEffortParameter(reasoningEffort));
  if (maxOutputTokens !== undefined) parameters.push(toLengthParameter(request, maxOutputTokens));
  if (request.hints) parameters.push({ name: 'hints', about: HINTS, ways: [request.hints] });
  return parameters;
}

/** The closest efforts of models that don't have one, the best first. */
const SIMILAR_EFFORTS: Readonly<Record<string, readonly string[]>> = { none: ['minimal', 'low'], xhigh: ['high'] };

function toEffortParameter(effort: string): OptionalParameter {
  const ways = [effort, ...(SIMILAR_EFFORTS[effort] ?? [])].map((name) => ({ reasoning_effort: name }));
  // Ollama says "does not support thinking". Models differ in the efforts that they have.
  return { name: `reasoningEffort ${effort}`, about: /reasoning|effort|thinking/i, ways };
}

/** Matches the names of hints. */
const HINTS = /\bprompt_cache_\w{1,20}|\bsafety_identifier\b|^user$|['"`]user['"`]/;

const LENGTH_FIELDS = ['max_tokens', 'max_completion_tokens'];

function toLengthParameter({ optional = [] }: ChatRequest, maxTokens: number): OptionalParameter {
  const isRequired = !optional.includes('maxOutputTokens');
  return {
    name: 'maxOutputTokens',
    // A refusal of the value does not mention the newer name.
    about: isRequired ? /max_completion_tokens/i : /max_(completion_)?tokens/i,
    ways: [{ max_tokens: maxTokens }, { max_completion_tokens: maxTokens }],
    isRequired,
  };
}

/** Converts messages. Tool messages have only text in this protocol, so other parts follow in a user message. */
function toMessages(messages: readonly ChatMessage[], options: ChatBodyOptions): readonly JsonObject[] {
  const context = { ...options, ids: new CallIds(CALL_IDS) };
  const converted: JsonObject[] = [];
  let attachments: ContentPart[] = [];
  const addAttachments = () => {
    if (attachments.length > 0) converted.push({ role: 'user', content: toContent(attachments, options) });
    attachments = [];
  };
  for (const message of messages) {
    if (message.role === 'tool') attachments.push(...listAttachments(message));
    else addAttachments();
    converted.push(toMessage(message, context));
  }
  addAttachments();
  return converted;
}

type ToolMessage = Extract<ChatMessage, { readonly role: 'tool' }>;

function listAttachments({ toolCallId, content }: ToolMessage): readonly ContentPart[] {
  const parts = typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text');
  return parts.length > 0 ? [{ type: 'text', text: `Result of the tool call ${toolCallId}:` }, ...parts] : [];
}

/** Converts the texts of a result to one text; where a cache may end after it, to a list with one part. */
function toResult({ content, cacheControl }: ToolMessage, { takesCacheControl }: ChatBodyOptions) {
  const text = toToolText(content);
  const cached = cacheControl ?? (typeof content === 'string' ? undefined : content.findLast(isCached)?.cacheControl);
  return takesCacheControl && cached ? [{ type: 'text', text, cache_control: cached }] : text;
}

function isCached({ cacheControl }: ContentPart): boolean {
  return cacheControl !== undefined;
}

function toToolText(content: Content): string {
  const hasTextOnly = typeof content === 'string' || content.every(({ type }) => type === 'text');
  return [...listTexts(content), ...(hasTextOnly ? [] : ['The result follows in the next user message.'])].join('\n');
}

interface MessageContext extends ChatBodyOptions {
  readonly ids: CallIds;
}

function toMessage(message: ChatMessage, context: MessageContext): JsonObject {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: toContent(message.content, context) };
    case 'tool': {
      const id = context.ids.takeResult(message.toolCallId);
      return { role: 'tool', tool_call_id: id, content: toResult(message, context) };
    }
    case 'assistant': {
      const { content, reasoning, toolCalls = [] } = message;
      if (toolCalls.length === 0) return { role: 'assistant', content: toContent(content, context) };
      return {
        role: 'assistant',
        content: content.length === 0 ? null : toContent(content, context),
        ...(reasoning ? { reasoning_content: reasoning } : {}),
        tool_calls: printToolCalls(toolCalls, context.ids),
      };
    }
  }
}

/** Texts that were divided only where a cache may end are one text for other hosts, because some accept only strings. */
function toContent(content: Content, { takesCacheControl }: ChatBodyOptions): string | readonly JsonObject[] {
  if (typeof content === 'string') return content;
  if (takesCacheControl)
    return content.map((part) => withoutUndefined({ ...toPart(part), cache_control: part.cacheControl }));
  const isText = content.some(isCached) && content.every(({ type }) => type === 'text');
  return isText ? listTexts(content).join('') : content.map(toPart);
}

function toPart(part: ContentPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image_url', image_url: withoutUndefined({ url: part.url, detail: part.detail }) };
    case 'file':
      // OpenAI refuses a file without a name.
      return { type: 'file', file: { filename: part.name ?? 'document.pdf', file_data: part.url } };
    case 'other':
      return { ...part.native };
  }
}

function printToolCalls(calls: readonly ToolCall[], ids: CallIds): readonly JsonObject[] {
  const validIds = ids.addCalls(calls.map(({ id }) => id));
  return calls.map((call, index) =>
    printToolCall({ ...call, id: validIds[index] ?? call.id, native: toOwnFields(call.native) }),
  );
}

function toTool(tool: ToolDefinition, { takesCacheControl }: ChatBodyOptions): JsonObject {
  const { name, description, parameters, isStrict, cacheControl } = tool;
  const described = { name, description, parameters: parameters && toParameters(parameters), strict: isStrict };
  return {
    type: 'function',
    function: withoutUndefined(described),
    ...(takesCacheControl && cacheControl && { cache_control: cacheControl }),
  };
}

function toResponseFormat(format: NonNullable<ChatRequest['responseFormat']>): JsonObject {
  if (format.type === 'text') return { type: 'text' };
  const { schema, name = 'answer', description, isStrict } = format;
  return schema
    ? { type: 'json_schema', json_schema: withoutUndefined({ name, description, schema, strict: isStrict }) }
    : { type: 'json_object' };
}
