import { isJsonObject, type JsonObject } from '../../../src/lib/json/json.ts';

export const CLIENTS = ['chat', 'native', 'responses', 'messages', 'bot'] as const;
/** Dialect of a client; the bot has none, and its requests are only in the form of the model interface. */
export type Client = (typeof CLIENTS)[number];

interface Dialect {
  readonly path: string;
  /** Converts a body of chat completions as a client of the dialect would write it. */
  readonly toBody: (body: JsonObject) => JsonObject;
}

export const DIALECTS: Readonly<Record<Exclude<Client, 'bot'>, Dialect>> = {
  chat: { path: '/v1/chat/completions', toBody: (body) => body },
  native: { path: '/ai/v2', toBody: ({ model, ...request }) => ({ model, request }) },
  responses: { path: '/v1/responses', toBody: toResponsesBody },
  messages: { path: '/v1/messages', toBody: toMessagesBody },
};

function toResponsesBody(body: JsonObject): JsonObject {
  const { model, stream, tools, tool_choice: choice, reasoning_effort: effort, temperature, top_p, stop } = body;
  const { response_format: format } = body;
  return withoutUndefined({
    model,
    stream,
    input: listOf(body.messages).flatMap(toItems),
    tools: tools && listOf(tools).map((tool) => ({ type: 'function', ...functionOf(tool) })),
    tool_choice: isJsonObject(choice) ? { type: 'function', name: functionOf(choice).name } : choice,
    parallel_tool_calls: body.parallel_tool_calls,
    text: isJsonObject(format) ? { format: { type: format.type, ...schemaOf(format) } } : undefined,
    reasoning: effort && { effort },
    max_output_tokens: body.max_tokens,
    temperature,
    top_p,
    stop,
    store: false,
  });
}

function toItems(message: JsonObject): readonly JsonObject[] {
  const { role, content, tool_call_id: id } = message;
  if (role === 'tool') return [{ type: 'function_call_output', call_id: id, output: content }];
  const parts = Array.isArray(content)
    ? content.map((part) => toResponsesPart(part, role === 'assistant' ? 'output_text' : 'input_text'))
    : content;
  const calls = listOf(message.tool_calls).map((call) => ({
    type: 'function_call',
    call_id: call.id,
    ...functionOf(call),
  }));
  return [...(content ? [{ type: 'message', role, content: parts }] : []), ...calls];
}

function toResponsesPart({ text, image_url: image, file }: JsonObject, textType: string): JsonObject {
  if (isJsonObject(image)) return { type: 'input_image', image_url: image.url };
  return isJsonObject(file) ? { type: 'input_file', ...file } : { type: textType, text };
}

function toMessagesBody(body: JsonObject): JsonObject {
  const { model, stream, messages, tools, tool_choice: choice, reasoning_effort: effort, temperature, top_p } = body;
  const system = listOf(messages).filter(({ role }) => role === 'system');
  const turns: JsonObject[] = [];
  for (const message of listOf(messages)) {
    if (message.role === 'system') continue;
    const last = turns.at(-1);
    // As Anthropic's SDKs do it: the results of all calls, and what the user adds, are one message.
    const isSame = last?.role === 'user' && message.role !== 'assistant';
    if (isSame) last.content = [...listOf(last.content), ...toBlocks(message)];
    else turns.push({ role: message.role === 'assistant' ? 'assistant' : 'user', content: toBlocks(message) });
  }
  const budget = { type: 'enabled', budget_tokens: 2000 };
  return withoutUndefined({
    model,
    stream,
    max_tokens: body.max_tokens ?? 1000,
    system: system.length > 0 ? system.flatMap(toBlocks) : undefined,
    messages: turns,
    tools:
      tools &&
      listOf(tools).map(({ function: _function, type: _type, ...tool }, at) => {
        const { parameters, ...described } = functionOf(listOf(tools)[at] ?? {});
        return { ...described, input_schema: parameters, ...tool };
      }),
    tool_choice: isJsonObject(choice)
      ? { type: 'tool', name: functionOf(choice).name }
      : choice && { type: choice === 'required' ? 'any' : choice },
    thinking: effort && budget,
    context_management: effort && { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    temperature,
    top_p,
    stop_sequences: body.stop,
  });
}

function toBlocks(message: JsonObject): readonly JsonObject[] {
  const { role, content, tool_call_id: id, blocks, tool_calls: calls, ...fields } = message;
  if (Array.isArray(blocks)) return blocks;
  if (role === 'tool') return [{ type: 'tool_result', tool_use_id: id, content, ...fields }];
  const texts = Array.isArray(content) ? content : content === '' ? [] : [{ type: 'text', text: content }];
  const uses = listOf(calls).map((call) => {
    const { name, arguments: written } = functionOf(call);
    return { type: 'tool_use', id: call.id, name, input: JSON.parse(String(written)) };
  });
  return [...texts, ...uses];
}

interface Call {
  readonly id: unknown;
  readonly name: unknown;
  readonly arguments: unknown;
}

/** Returns the calls of the earlier answers in a body of chat completions or Messages. */
export function callsIn({ messages }: JsonObject): readonly Call[] {
  return listOf(messages).flatMap(({ tool_calls: calls, content }) => [
    ...listOf(calls).map((call) => ({ id: call.id, ...functionOf(call) }) as Call),
    ...listOf(content)
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) })),
  ]);
}

/** Returns the results of the calls, in the order of the calls: what each call got, by the ids and the order. */
export function pairsIn(body: JsonObject): readonly (string | undefined)[] {
  const results: (string | undefined)[] = [];
  let open: { readonly id: unknown; readonly at: number }[] = [];
  for (const message of listOf(body.messages)) {
    const calls = callsIn({ messages: [message] });
    if (calls.length > 0) open = calls.map(({ id }, at) => ({ id, at: results.length + at }));
    results.push(...calls.map(() => undefined));
    for (const { id, text } of resultsIn(message)) {
      const found = open.find((one) => one.id === id);
      if (!found) throw new Error(`a result without a call: ${String(id)}`);
      open = open.filter((one) => one !== found);
      results[found.at] = text.trim();
    }
  }
  return results;
}

function resultsIn({ role, tool_call_id: id, content }: JsonObject): readonly { id: unknown; text: string }[] {
  if (role === 'tool') return [{ id, text: textOf(content) }];
  return listOf(content)
    .filter(({ type }) => type === 'tool_result')
    .map((block) => ({ id: block.tool_use_id, text: textOf(block.content) }));
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map(({ text }) => String(text ?? ''))
    .join('');
}

function functionOf({ function: called }: JsonObject): JsonObject {
  return isJsonObject(called) ? called : {};
}

function schemaOf({ json_schema: schema }: JsonObject): JsonObject {
  return isJsonObject(schema) ? schema : {};
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function withoutUndefined(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''));
}
