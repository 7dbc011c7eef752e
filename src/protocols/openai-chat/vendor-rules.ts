import type { ChatMessage } from '../../core/models/contract/chat-request.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { type CallIdRule, CallIds, toShortId } from '../call-ids.ts';
import type { OptionalParameter } from '../optional-parameter.ts';

/** OpenAI's limits of the ids of tool calls: "string too long. Expected a string with maximum length 40". */
export const CALL_IDS: CallIdRule = { maxLength: 40, distinctIn: 'message' };

/** Maximum length of the name of a tool. */
export const MAX_TOOL_NAME = 64;

/** Fields of tool calls that belong to hosts of other protocols. */
const FOREIGN_EXTRA = ['anthropic', 'amazonBedrock'];

/** Schemas with these fields may have their type and properties elsewhere. */
const COMBINED = ['$ref', 'anyOf', 'oneOf', 'allOf'];

/**
 * Returns the schema of the arguments of a function. OpenAI refuses one without `properties`, which is usual for tools
 * without arguments: "object schema missing properties".
 */
export function toParameters(schema: JsonObject): JsonObject {
  const { type, properties } = schema;
  const isObject = type === 'object' || (type === undefined && !COMBINED.some((name) => name in schema));
  if (!isObject || (type === 'object' && isJsonObject(properties))) return schema;
  return { ...schema, type: 'object', properties: isJsonObject(properties) ? properties : {} };
}

/** Returns the body of a client of chat completions without what hosts refuse. Everything else stays as it is. */
export function toAcceptedBody(body: JsonObject): JsonObject {
  if (!mentionsTools(body)) return body;
  const tools = mapList(body.tools, toAcceptedTool);
  const messages = withValidIds(body.messages);
  return tools === body.tools && messages === body.messages ? body : { ...body, tools, messages };
}

function mentionsTools({ tools, messages }: JsonObject): boolean {
  return Boolean(tools) || (Array.isArray(messages) && messages.some(isOfTool));
}

function isOfTool(message: unknown): boolean {
  return isJsonObject(message) && (message.role === 'tool' || Boolean(message.tool_calls));
}

/**
 * Returns the changes of messages that single hosts require after answers of other hosts. They are made when a host
 * refuses the messages as they are. Empty without tool calls and reasoning.
 */
export function listMessageFallbacks(messages: readonly ChatMessage[]): readonly OptionalParameter[] {
  const isMovable = (message: ChatMessage) =>
    message.role === 'assistant' && (message.toolCalls !== undefined || message.reasoning !== undefined);
  return messages.some(isMovable) ? MESSAGE_FALLBACKS : [];
}

/** Matches a refusal of a field that the host does not know. */
function unknownField(name: string): RegExp {
  const reason =
    '(unsupported|unknown|unrecognized|not (supported|permitted|allowed)|extra[ _](inputs?|fields?|forbidden))';
  return new RegExp(`${reason}.{0,200}${name}|${name}.{0,200}${reason}`, 'is');
}

const MESSAGE_FALLBACKS: readonly OptionalParameter[] = [
  // OpenAI: "Missing required parameter: 'messages[1].tool_calls[0].id'."
  toFallback('ids of tool calls', [
    [/missing.{0,80}(tool_calls?\[\d+\]\.id|tool_call_id)/i, (messages) => withValidIds(messages, true)],
  ]),
  // Mistral: "Tool call id was call_0 but must be a-z, A-Z, 0-9, with a length of 9."
  toFallback('short ids of tool calls', [[/tool call id .{0,200}must be/i, withShortIds]]),
  toFallback('extra content of calls', [
    // Gemini: "Function call is missing a thought_signature in functionCall parts."
    [
      /missing a thought_signature/i,
      (messages) => mapCalls(messages, (call, at) => (at === 0 ? withSignature(toOwnFields(call)) : call)),
    ],
    [unknownField('extra_content'), (messages) => mapCalls(messages, withoutExtraContent)],
  ]),
  toFallback('reasoning', [
    // DeepSeek: "The `reasoning_content` in the thinking mode must be passed back to the API."
    [/missing.{0,40}reasoning_content|reasoning_content.{0,60}(missing|passed back)/i, withReasoning],
    // Groq: "property 'reasoning_content' is unsupported". Mistral: "Extra inputs are not permitted".
    [unknownField('reasoning_content'), withoutReasoning],
  ]),
];

type MessagesChange = (messages: unknown) => unknown;

/** @param changes each with the refusal that requires it. Hosts that require one refuse the other. */
function toFallback(name: string, changes: readonly (readonly [about: RegExp, MessagesChange])[]): OptionalParameter {
  const ways = changes.map(([, change]) => (body: JsonObject) => ({ ...body, messages: change(body.messages) }));
  return { name, about: [undefined, ...changes.map(([about]) => about)], ways: [{}, ...ways], isRequired: true };
}

function toAcceptedTool(tool: JsonObject): JsonObject {
  const { function: described } = tool;
  if (!isJsonObject(described) || !isJsonObject(described.parameters)) return tool;
  const parameters = toParameters(described.parameters);
  return parameters === described.parameters ? tool : { ...tool, function: { ...described, parameters } };
}

/**
 * Gives calls ids that are neither empty nor too long, and their results the same.
 * @param addsMissing whether calls get an id that have no such field; not all hosts need it.
 */
function withValidIds(messages: unknown, addsMissing = false): unknown {
  const ids = new CallIds(CALL_IDS);
  const isGiven = (id: unknown) => typeof id === 'string' || addsMissing;
  return mapList(messages, (message) => {
    const { role, tool_calls: calls, tool_call_id: given } = message;
    if (role === 'tool' && isGiven(given)) {
      const id = ids.takeResult(toId(given));
      return id === given ? message : { ...message, tool_call_id: id };
    }
    if (!Array.isArray(calls) || calls.length === 0) return message;
    const valid = ids.addCalls(calls.map((call) => toId(isJsonObject(call) ? call.id : undefined)));
    const withIds = mapList(calls, (call, index) =>
      call.id === valid[index] || !isGiven(call.id) ? call : { ...call, id: valid[index] },
    );
    return withIds === calls ? message : { ...message, tool_calls: withIds };
  });
}

function toId(given: unknown): string {
  return typeof given === 'string' ? given : '';
}

/** Returns the fields that a host gets back with a call: those of hosts of other protocols are left out. */
export function toOwnFields(call: JsonObject = {}): JsonObject {
  const { extra_content: extra, ...fields } = call;
  if (!isJsonObject(extra) || !FOREIGN_EXTRA.some((name) => extra[name] !== undefined)) return call;
  const own = Object.entries(extra).filter(([name]) => !FOREIGN_EXTRA.includes(name));
  return own.length > 0 ? { ...fields, extra_content: Object.fromEntries(own) } : fields;
}

function withShortIds(messages: unknown): unknown {
  return mapList(messages, (message) => {
    const { tool_call_id: id } = message;
    const calls = mapList(message.tool_calls, (call) => ({ ...call, id: toShortId(toId(call.id)) }));
    if (calls !== undefined && calls !== null) return { ...message, tool_calls: calls };
    return message.role === 'tool' ? { ...message, tool_call_id: toShortId(toId(id)) } : message;
  });
}

/** Gives the first call of an answer of another host the value by which Gemini accepts it: https://ai.google.dev/gemini-api/docs/thought-signatures */
function withSignature(call: JsonObject): JsonObject {
  const extra = isJsonObject(call.extra_content) ? call.extra_content : {};
  if (isJsonObject(extra.google) && extra.google.thought_signature) return call;
  const google = { thought_signature: 'skip_thought_signature_validator' };
  return { ...call, extra_content: { ...extra, google } };
}

function withReasoning(messages: unknown): unknown {
  return mapList(messages, (message) =>
    message.role === 'assistant' && typeof message.reasoning_content !== 'string'
      ? { ...message, reasoning_content: '' }
      : message,
  );
}

function withoutReasoning(messages: unknown): unknown {
  return mapList(messages, ({ reasoning_content: _reasoning, ...message }) => message);
}

function withoutExtraContent({ extra_content: _extra, ...call }: JsonObject): JsonObject {
  return call;
}

function mapCalls(messages: unknown, map: (call: JsonObject, index: number) => JsonObject): unknown {
  return mapList(messages, (message) => {
    const calls = mapList(message.tool_calls, map);
    return calls === message.tool_calls ? message : { ...message, tool_calls: calls };
  });
}

/** Maps the objects of a list. Returns the same list if none has changed, and other values as they are. */
function mapList(list: unknown, map: (entry: JsonObject, index: number) => JsonObject): unknown {
  if (!Array.isArray(list)) return list;
  let isChanged = false;
  const mapped = list.map((entry: unknown, index) => {
    if (!isJsonObject(entry)) return entry;
    const result = map(entry, index);
    isChanged ||= result !== entry;
    return result;
  });
  return isChanged ? mapped : list;
}
