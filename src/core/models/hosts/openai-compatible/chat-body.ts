import type { JsonObject } from '../../../../lib/json/json.ts';
import {
  type ChatMessage,
  type Content,
  type ContentPart,
  listTexts,
  type ToolCall,
} from '../../contract/chat-message.ts';
import type { ChatRequest } from '../../contract/chat-request.ts';
import type { OptionalParameter } from '../endpoint/parameter-fallback.ts';

/** Converts a request to OpenAI's format, without `stream` and without the parameters of `toFallbackParameters`. */
export function toChatBody(request: ChatRequest): JsonObject {
  const { model, native } = request;
  if (native?.dialect === 'chat-completions') {
    const { stream: _stream, stream_options: _streamOptions, ...body } = native.body;
    return { ...body, model };
  }
  const { tools, toolChoice, responseFormat, sampling = {}, optional = [] } = request;
  return withoutUndefined({
    ...request.extraFields,
    model,
    messages: toMessages(request.messages),
    tools: tools?.map(({ isStrict, ...tool }) => ({
      type: 'function',
      function: withoutUndefined({ ...tool, strict: isStrict }),
    })),
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
    return isMissing ? [toLengthParameter(request, maxOutputTokens)] : [];
  }
  const parameters: OptionalParameter[] = [];
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
function toMessages(messages: readonly ChatMessage[]): readonly JsonObject[] {
  const converted: JsonObject[] = [];
  let attachments: ContentPart[] = [];
  const addAttachments = () => {
    if (attachments.length > 0) converted.push({ role: 'user', content: toContent(attachments) });
    attachments = [];
  };
  for (const message of messages) {
    if (message.role === 'tool') attachments.push(...listAttachments(message));
    else addAttachments();
    converted.push(toMessage(message));
  }
  addAttachments();
  return converted;
}

type ToolMessage = Extract<ChatMessage, { readonly role: 'tool' }>;

function listAttachments({ toolCallId, content }: ToolMessage): readonly ContentPart[] {
  const parts = typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text');
  return parts.length > 0 ? [{ type: 'text', text: `Result of the tool call ${toolCallId}:` }, ...parts] : [];
}

function toToolText(content: Content): string {
  const hasTextOnly = typeof content === 'string' || content.every(({ type }) => type === 'text');
  return [...listTexts(content), ...(hasTextOnly ? [] : ['The result follows in the next user message.'])].join('\n');
}

function toMessage(message: ChatMessage): JsonObject {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: toContent(message.content) };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: toToolText(message.content) };
    case 'assistant': {
      const { content, reasoning, toolCalls = [] } = message;
      if (toolCalls.length === 0) return { role: 'assistant', content: toContent(content) };
      return {
        role: 'assistant',
        content: content.length === 0 ? null : toContent(content),
        ...(reasoning ? { reasoning_content: reasoning } : {}),
        tool_calls: toolCalls.map(toToolCall),
      };
    }
  }
}

function toContent(content: Content): string | readonly JsonObject[] {
  return typeof content === 'string' ? content : content.map(toPart);
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

function toToolCall({ id, name, arguments: written, native }: ToolCall): JsonObject {
  return { ...native, id, type: 'function', function: { name, arguments: written } };
}

function toResponseFormat(format: NonNullable<ChatRequest['responseFormat']>): JsonObject {
  if (format.type === 'text') return { type: 'text' };
  const { schema, name = 'answer', description, isStrict } = format;
  return schema
    ? { type: 'json_schema', json_schema: withoutUndefined({ name, description, schema, strict: isStrict }) }
    : { type: 'json_object' };
}

function withoutUndefined(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
