import { isJsonObject, type JsonObject } from '../../../src/lib/json/json.ts';
import { answerJson, type Behaviour, openAiError } from './fake-provider.ts';

/** A host of OpenAI's protocol with its public rules. */
export interface ChatVendor {
  readonly name: string;
  /** Whether content parts and tools may have `cache_control`. */
  readonly takesCacheControl: boolean;
  /** Returns the answer to a request that the vendor refuses, undefined for a valid one. */
  readonly refuse: (body: JsonObject) => Refusal | undefined;
}

interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

interface Fault {
  readonly message: string;
  readonly param: string;
  readonly code: string;
}

/** Lets a behaviour answer the requests that the vendor accepts. */
export function withRulesOf({ refuse }: ChatVendor, behaviour: Behaviour): Behaviour {
  return (exchange) => {
    const refusal = refuse(exchange.request.body);
    return refusal ? answerJson(refusal.status, refusal.body)(exchange) : behaviour(exchange);
  };
}

export const OPENAI: ChatVendor = {
  name: 'OpenAI',
  takesCacheControl: false,
  refuse: (body) => {
    const fault = findToolFault(body) ?? findCallFault(body) ?? findUnknown(body, UNKNOWN_TO_OPENAI);
    return fault && { status: 400, body: openAiError(fault.message, fault.code, fault.param) };
  },
};

/** Passes requests on, among others to OpenAI and Anthropic, and wraps their refusals. */
const OPENROUTER: ChatVendor = {
  name: 'OpenRouter',
  takesCacheControl: true,
  refuse: (body) => {
    const fault = findToolFault(body) ?? findCallFault(body);
    if (!fault) return undefined;
    const raw = JSON.stringify(openAiError(fault.message, fault.code, fault.param));
    const metadata = { raw, provider_name: 'OpenAI' };
    return { status: 400, body: { error: { message: fault.message, code: 400, metadata } } };
  },
};

/** Gemini's compatible endpoint: calls of the current turn need the signature of their reasoning. */
const GEMINI: ChatVendor = {
  name: 'Gemini',
  takesCacheControl: false,
  refuse: (body) => {
    const unsigned = currentCalls(body).find(([first]) => !hasSignature(first))?.[0];
    const message = unsigned
      ? `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${nameOf(unsigned)}\` , position 2.`
      : (findUnknown(body, ['cache_control'])?.message ?? findToolFault(body)?.message);
    return message === undefined
      ? undefined
      : { status: 400, body: [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }] };
  },
};

/** Reasons, and requires its reasoning of all earlier answers as soon as tools were called. */
export const DEEPSEEK: ChatVendor = {
  name: 'DeepSeek',
  takesCacheControl: false,
  refuse: (body) => {
    const answers = messagesOf(body).filter(({ role }) => role === 'assistant');
    const invalid = answers.findIndex(({ reasoning_content: reasoning = '' }) => typeof reasoning !== 'string');
    if (invalid >= 0) {
      const message = `Invalid type for 'messages[${invalid}].reasoning_content': expected a string.`;
      return { status: 400, body: openAiError(message, 'invalid_request_error') };
    }
    const hasCalls = answers.some((answer) => callsOf(answer).length > 0);
    const message = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
    const isMissing = hasCalls && answers.some(({ reasoning_content: reasoning }) => typeof reasoning !== 'string');
    if (isMissing) return { status: 400, body: openAiError(message, 'invalid_request_error') };
    const fault = findToolFault(body);
    return fault && { status: 400, body: openAiError(fault.message, 'invalid_request_error') };
  },
};

/** Ids of calls have nine letters and digits, and unknown fields are refused. */
const MISTRAL: ChatVendor = {
  name: 'Mistral',
  takesCacheControl: false,
  refuse: (body) => {
    const unknown = findUnknown(body, ['reasoning_content', 'extra_content', 'cache_control']);
    if (unknown) {
      const loc = ['body', ...unknown.param.split(/[.[\]]+/).filter((step) => step !== '')];
      const detail = [{ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted', input: '…' }];
      return { status: 422, body: mistralError({ detail }, 'invalid_request_error', null) };
    }
    const id = messagesOf(body)
      .flatMap((message) => [...callsOf(message).map((call) => call.id), message.tool_call_id ?? []])
      .flat()
      .find((one) => !/^[a-zA-Z0-9]{9}$/.test(String(one)));
    if (id !== undefined) {
      const message = `Tool call id was ${String(id)} but must be a-z, A-Z, 0-9, with a length of 9.`;
      return { status: 400, body: mistralError(message, 'invalid_function_call', '3280') };
    }
    const fault = findToolFault(body) ?? findPairFault(body);
    return fault && { status: 400, body: mistralError(fault.message, 'invalid_request_error', null) };
  },
};

/** Refuses the reasoning of other hosts. */
const GROQ: ChatVendor = {
  name: 'Groq',
  takesCacheControl: false,
  refuse: (body) => {
    const unknown = findUnknown(body, ['reasoning_content', 'extra_content', 'cache_control']);
    const place = unknown && /^messages\[(\d+)\]/.exec(unknown.param)?.[1];
    const message = unknown
      ? `'messages.${place}' : for 'role:assistant' the following must be satisfied[('messages.${place}' : property '${unknown.param.split('.').at(-1)}' is unsupported)]`
      : findToolFault(body)?.message;
    return message === undefined ? undefined : { status: 400, body: openAiError(message) };
  },
};

export const CHAT_VENDORS: readonly ChatVendor[] = [OPENAI, OPENROUTER, GEMINI, DEEPSEEK, MISTRAL, GROQ];

function mistralError(message: unknown, type: string, code: string | null): JsonObject {
  return { object: 'error', message, type, param: null, code };
}

const MAX_NAME = 64;
const MAX_ID = 40;
const UNKNOWN_TO_OPENAI = ['cache_control', 'extra_content', 'switchboard'];

function findToolFault({ tools = [], tool_choice: choice, messages }: JsonObject): Fault | undefined {
  const functions = (Array.isArray(tools) ? tools : []).map((tool) => (isJsonObject(tool) ? tool.function : {}));
  for (const [index, tool] of functions.filter(isJsonObject).entries()) {
    const fault =
      findNameFault(tool.name, `tools[${index}].function.name`) ??
      findSchemaFault(tool, `tools[${index}].function.parameters`);
    if (fault) return fault;
  }
  const chosen = isJsonObject(choice) && isJsonObject(choice.function) ? choice.function.name : undefined;
  if (chosen !== undefined && functions.every((tool) => !isJsonObject(tool) || tool.name !== chosen)) {
    const message = `Invalid value for 'tool_choice': no function named '${String(chosen)}' was specified in the 'tools' parameter.`;
    return { message, param: 'tool_choice', code: 'invalid_value' };
  }
  for (const [index, message] of messagesOf({ messages }).entries()) {
    for (const [at, call] of callsOf(message).entries()) {
      const fault = findNameFault(nameOf(call), `messages[${index}].tool_calls[${at}].function.name`);
      if (fault) return fault;
    }
  }
  return undefined;
}

function findNameFault(name: unknown, param: string): Fault | undefined {
  const length = String(name).length;
  if (length > MAX_NAME) return tooLong(param, MAX_NAME, length);
  const message = `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
  return /^[\w-]+$/.test(String(name)) ? undefined : { message, param, code: 'invalid_value' };
}

function findSchemaFault({ name, parameters }: JsonObject, param: string): Fault | undefined {
  if (parameters === undefined) return undefined;
  const { type, properties } = isJsonObject(parameters) ? parameters : {};
  const problem =
    type !== 'object'
      ? `schema must be a JSON Schema of 'type: "object"', got 'type: "${String(type ?? 'None')}"'.`
      : isJsonObject(properties)
        ? undefined
        : 'In context=(), object schema missing properties.';
  if (problem === undefined) return undefined;
  return {
    message: `Invalid schema for function '${String(name)}': ${problem}`,
    param,
    code: 'invalid_function_parameters',
  };
}

/** Ids have a maximum length, and each call has its result. */
function findCallFault(body: JsonObject): Fault | undefined {
  for (const [index, message] of messagesOf(body).entries()) {
    const ids = [
      ...callsOf(message).map(({ id }, at) => [id, `messages[${index}].tool_calls[${at}].id`] as const),
      ...(message.role === 'tool' ? [[message.tool_call_id, `messages[${index}].tool_call_id`] as const] : []),
    ];
    for (const [id, param] of ids) {
      if (typeof id !== 'string' || id === '')
        return { message: `Missing required parameter: '${param}'.`, param, code: 'missing_required_parameter' };
      if (id.length > MAX_ID) return tooLong(param, MAX_ID, id.length);
    }
  }
  return findPairFault(body);
}

function findPairFault(body: JsonObject): Fault | undefined {
  let open: unknown[] = [];
  for (const [index, message] of messagesOf(body).entries()) {
    const param = `messages[${index}]`;
    const at = open.indexOf(message.tool_call_id);
    if (message.role === 'tool' && at < 0)
      return {
        message:
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        param,
        code: 'invalid_value',
      };
    if (message.role === 'tool') open.splice(at, 1);
    else if (open.length > 0)
      return {
        message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`,
        param,
        code: 'invalid_value',
      };
    else open = callsOf(message).map(({ id }) => id);
  }
  return undefined;
}

/** Finds one of these fields in messages, their parts and calls, and in tools. */
function findUnknown(body: JsonObject, names: readonly string[]): Fault | undefined {
  const at = (object: unknown, path: string): Fault | undefined => {
    const name = isJsonObject(object) ? names.find((one) => object[one] !== undefined) : undefined;
    if (name === undefined) return undefined;
    const param = `${path}.${name}`;
    return { message: `Unknown parameter: '${param}'.`, param, code: 'unknown_parameter' };
  };
  const inList = (list: unknown, path: string): Fault | undefined => {
    for (const [index, entry] of (Array.isArray(list) ? list : []).entries()) {
      const { content, tool_calls: calls, function: called } = isJsonObject(entry) ? entry : {};
      const place = `${path}[${index}]`;
      const fault =
        at(entry, place) ??
        at(called, `${place}.function`) ??
        inList(content, `${place}.content`) ??
        inList(calls, `${place}.tool_calls`);
      if (fault) return fault;
    }
    return undefined;
  };
  return inList(body.messages, 'messages') ?? inList(body.tools, 'tools');
}

/** Returns the calls of each answer since the last question. */
function currentCalls(body: JsonObject): readonly (readonly JsonObject[])[] {
  const messages = messagesOf(body);
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(last + 1).flatMap((message) => (callsOf(message).length > 0 ? [callsOf(message)] : []));
}

function hasSignature(call: JsonObject | undefined): boolean {
  const google = isJsonObject(call?.extra_content) ? call.extra_content.google : undefined;
  return isJsonObject(google) && typeof google.thought_signature === 'string' && google.thought_signature !== '';
}

function messagesOf({ messages }: JsonObject): readonly JsonObject[] {
  return Array.isArray(messages) ? messages.filter(isJsonObject) : [];
}

function callsOf({ tool_calls: calls }: JsonObject): readonly JsonObject[] {
  return Array.isArray(calls) ? calls.filter(isJsonObject) : [];
}

function nameOf({ function: called }: JsonObject): string {
  return isJsonObject(called) ? String(called.name) : '';
}

function tooLong(param: string, most: number, length: number): Fault {
  const message = `Invalid '${param}': string too long. Expected a string with maximum length ${most}, but got a string with length ${length} instead.`;
  return { message, param, code: 'string_above_max_length' };
}
