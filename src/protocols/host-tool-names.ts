import type {
  ChatCompletion,
  ChatEvent,
  ChatPart,
  ChatStream,
  NativeEvent,
} from '../core/models/contract/chat-answer.ts';
import type { ChatModel } from '../core/models/contract/chat-model.ts';
import type { ChatMessage, ChatRequest, NativeRequest, ToolCall } from '../core/models/contract/chat-request.ts';
import { shortenWithHash, toShortHash } from '../lib/ids.ts';
import { isJsonObject, type JsonObject } from '../lib/json/json.ts';

/**
 * Returns a model whose host gets names of tools that it accepts: letters, digits, `_` and `-`, and not too long.
 * Clients get their own names back. Requests whose names are all valid stay as they are.
 */
export function withHostToolNames(chat: ChatModel, maxLength: number): ChatModel {
  const { countPromptTokens } = chat;
  return {
    ...chat,
    async complete(request, signal) {
      const names = findInvalidNames(request, maxLength);
      if (!names) return chat.complete(request, signal);
      return renameCompletion(await chat.complete(renameRequest(request, names), signal), invert(names));
    },
    async stream(request, signal) {
      const names = findInvalidNames(request, maxLength);
      if (!names) return chat.stream(request, signal);
      return renameStream(await chat.stream(renameRequest(request, names), signal), invert(names));
    },
    ...(countPromptTokens && {
      countPromptTokens(request, signal) {
        const names = findInvalidNames(request, maxLength);
        return countPromptTokens(names ? renameRequest(request, names) : request, signal);
      },
    }),
  };
}

type Names = ReadonlyMap<string, string>;

/** Returns the valid names of tools by their invalid ones; undefined if all are valid. */
function findInvalidNames(request: ChatRequest, maxLength: number): Names | undefined {
  const { messages, tools = [], toolChoice, native } = request;
  const functions = native?.dialect === 'chat-completions' ? native.body['functions'] : undefined;
  if (tools.length === 0 && typeof toolChoice !== 'object' && !functions && !messages.some(hasCalls)) return undefined;
  let names: Map<string, string> | undefined;
  const add = (name: string) => {
    if (name === '' || (name.length <= maxLength && !/[^\w-]/.test(name)) || names?.has(name)) return;
    names ??= new Map();
    names.set(name, toHostName(name, maxLength));
  };
  for (const { name } of tools) add(name);
  if (typeof toolChoice === 'object') add(toolChoice.name);
  for (const message of messages)
    if (message.role === 'assistant') for (const { name } of message.toolCalls ?? []) add(name);
  // The earlier form of tools, which is only passed on.
  if (Array.isArray(functions)) for (const named of functions.filter(isJsonObject)) add(String(named.name));
  return names;
}

function hasCalls(message: ChatMessage): boolean {
  return message.role === 'assistant' && message.toolCalls !== undefined;
}

/** Names that differ only in characters that hosts refuse get different ones. */
function toHostName(name: string, maxLength: number): string {
  const valid = name.replace(/[^\w-]/g, '_');
  return shortenWithHash(valid === name ? name : `${valid}_${toShortHash(name)}`, maxLength);
}

function invert(names: Names): Names {
  return new Map([...names].map(([name, valid]) => [valid, name]));
}

function renameRequest(request: ChatRequest, names: Names): ChatRequest {
  const { tools, toolChoice, messages, native } = request;
  const rename = (name: string) => names.get(name) ?? name;
  return {
    ...request,
    tools: tools?.map((tool) => ({ ...tool, name: rename(tool.name) })),
    toolChoice: typeof toolChoice === 'object' ? { name: rename(toolChoice.name) } : toolChoice,
    messages: messages.map((message) =>
      message.role === 'assistant' && message.toolCalls
        ? { ...message, toolCalls: renameCalls(message.toolCalls, names) }
        : message,
    ),
    native: native && renameNative(native, names),
  };
}

function renameCalls(calls: readonly ToolCall[], names: Names): readonly ToolCall[] {
  return calls.map((call) => ({ ...call, name: names.get(call.name) ?? call.name }));
}

/** Renames the functions of a body of chat completions. Bodies of other dialects have valid names. */
function renameNative(native: NativeRequest, names: Names): NativeRequest {
  if (native.dialect !== 'chat-completions') return native;
  const renameNamed = (entry: unknown): unknown =>
    isJsonObject(entry) && names.has(String(entry.name)) ? { ...entry, name: names.get(String(entry.name)) } : entry;
  const rename = (entry: unknown): unknown =>
    isJsonObject(entry) && entry.function ? { ...entry, function: renameNamed(entry.function) } : entry;
  const renameChoice = (choice: unknown): unknown => {
    const allowed = isJsonObject(choice) ? choice.allowed_tools : undefined;
    if (!isJsonObject(choice) || !isJsonObject(allowed)) return rename(choice);
    return { ...choice, allowed_tools: renameFields(allowed, { tools: mapEach(rename) }) };
  };
  const renameIn = (message: unknown): unknown => {
    if (!isJsonObject(message)) return message;
    const { role } = message;
    const named = role === 'tool' || role === 'function' ? renameNamed(message) : message;
    return renameFields(named as JsonObject, { tool_calls: mapEach(rename), function_call: renameNamed });
  };
  const body = renameFields(native.body, {
    tools: mapEach(rename),
    tool_choice: renameChoice,
    functions: mapEach(renameNamed),
    function_call: renameNamed,
    messages: mapEach(renameIn),
  });
  return { ...native, body };
}

type Rename = (value: unknown) => unknown;

function mapEach(rename: Rename): Rename {
  return (list) => (Array.isArray(list) ? list.map(rename) : list);
}

/** Renames in the fields that the object has. */
function renameFields(object: JsonObject, fields: Readonly<Record<string, Rename>>): JsonObject {
  const renamed = Object.entries(fields).flatMap(([name, rename]) =>
    name in object ? [[name, rename(object[name])]] : [],
  );
  return { ...object, ...Object.fromEntries(renamed) };
}

function renameCompletion(completion: ChatCompletion, names: Names): ChatCompletion {
  const { choices, native } = completion;
  return {
    ...completion,
    choices: choices.map((choice) => ({ ...choice, toolCalls: renameCalls(choice.toolCalls, names) })),
    native: native && { ...native, bytes: renameBytes(native.bytes, names) },
  };
}

function renameStream(stream: ChatStream, names: Names): ChatStream {
  return {
    get outcome() {
      return stream.outcome;
    },
    async *[Symbol.asyncIterator]() {
      for await (const event of stream) yield renameEvent(event, names);
    },
  };
}

function renameEvent(event: ChatEvent, names: Names): ChatEvent {
  const { native } = event;
  if (!event.parts.some((part) => isRenamed(part, names)) && !mayHaveNames(native)) return event;
  const parts = event.parts.map((part) => (isRenamed(part, names) ? { ...part, name: names.get(part.name) } : part));
  return { parts, native: native && renameNativeEvent(native, names) };
}

/** Bytes may be of several events, and calls of the earlier form are no parts. */
function mayHaveNames({ data }: Partial<NativeEvent> = {}): boolean {
  return typeof data === 'string' ? data.includes('"function_call"') : data !== undefined;
}

function isRenamed(part: ChatPart, names: Names): part is ChatPart & { readonly name: string } {
  return part.type === 'tool-call-delta' && part.name !== undefined && names.has(part.name);
}

function renameNativeEvent(native: NativeEvent, names: Names): NativeEvent {
  const { data } = native;
  const renamed =
    typeof data === 'string' ? renameBytes(Buffer.from(data), names).toString() : renameBytes(data, names);
  return { ...native, data: renamed };
}

/** Replaces the names in JSON: each is a string of its own there, and long enough not to be anything else. */
function renameBytes(bytes: Buffer, names: Names): Buffer {
  let renamed = bytes;
  for (const [valid, name] of names) {
    const [from, to] = [Buffer.from(JSON.stringify(valid)), Buffer.from(JSON.stringify(name))];
    const segments: Buffer[] = [];
    let start = 0;
    for (let at = renamed.indexOf(from); at >= 0; at = renamed.indexOf(from, start)) {
      segments.push(renamed.subarray(start, at), to);
      start = at + from.length;
    }
    if (start > 0) renamed = Buffer.concat([...segments, renamed.subarray(start)]);
  }
  return renamed;
}
