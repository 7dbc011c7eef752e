import type { JsonObject } from '../../../../lib/json.ts';
import type { ChatMessage, ChatRequest, Content, ContentPart, OptionalSetting, ToolCall } from '../../chat-model.ts';
import type { OptionalParameter } from './parameter-fallback.ts';

/** Converts a request to OpenAI's format, without `stream` and without the optional settings. */
export function toChatBody(request: ChatRequest): JsonObject {
  const { model, native } = request;
  if (native?.dialect === 'chat-completions') {
    const { stream: _stream, stream_options: _streamOptions, ...body } = native.body;
    return { ...body, model };
  }
  const { tools, toolChoice, responseFormat, sampling = {}, optional = [] } = request;
  const temperature = optional.includes('temperature') ? undefined : sampling.temperature;
  const maxTokens = optional.includes('maxOutputTokens') ? undefined : request.maxOutputTokens;
  return withoutUndefined({
    ...request.further,
    model,
    messages: request.messages.map(toMessage),
    tools: tools?.map(({ isStrict, ...tool }) => ({
      type: 'function',
      function: withoutUndefined({ ...tool, strict: isStrict }),
    })),
    tool_choice:
      typeof toolChoice === 'object' ? { type: 'function', function: { name: toolChoice.name } } : toolChoice,
    parallel_tool_calls: request.allowsParallelToolCalls,
    response_format: responseFormat && toResponseFormat(responseFormat),
    temperature,
    top_p: sampling.topP,
    seed: sampling.seed,
    stop: sampling.stop,
    reasoning_effort: request.reasoningEffort,
    max_tokens: maxTokens,
    n: request.choiceCount,
  });
}

/** Returns the optional settings of a request, which are left out if the host refuses them. */
export function toOptionalParameters({
  optional = [],
  sampling,
  maxOutputTokens,
}: ChatRequest): readonly OptionalParameter[] {
  const fields: Record<OptionalSetting, { readonly about: RegExp; readonly fields: JsonObject }> = {
    temperature: { about: /temperature/i, fields: { temperature: sampling?.temperature } },
    maxOutputTokens: { about: /max_tokens/i, fields: { max_tokens: maxOutputTokens } },
  };
  return optional.map((name) => ({ name, about: fields[name].about, ways: [withoutUndefined(fields[name].fields)] }));
}

function toMessage(message: ChatMessage): JsonObject {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: toContent(message.content) };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: toContent(message.content) };
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
      return { type: 'image_url', image_url: { url: part.url } };
    case 'file':
      return { type: 'file', file: withoutUndefined({ filename: part.name, file_data: part.url }) };
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
