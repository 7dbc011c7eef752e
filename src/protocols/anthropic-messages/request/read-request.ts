import type { IncomingHttpHeaders } from 'node:http';
import type { ChatRequest } from '../../../core/models/contract/chat-request.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import { checkFields, refuseLookalikes, toKnownFields } from '../../fields/check-fields.ts';
import { MAX_PARTS } from '../../fields/field-schemas.ts';
import { readMaxTokens } from '../../fields/read-max-tokens.ts';
import { invalidRequest } from '../../http-error.ts';
import { readMessages, readSystem } from './read-messages.ts';
import { readToolChoice, readTools } from './read-tools.ts';
import {
  type CountRequest,
  countRequestSchema,
  type MessagesRequest,
  messagesRequestSchema,
} from './request-schema.ts';
import { TranslationProblems } from './untranslatable.ts';

const READ_FIELDS = Object.keys(messagesRequestSchema.shape);

/** A request of Anthropic's Messages API. */
export interface ReadRequest {
  readonly request: ChatRequest;
  readonly isStreamed: boolean;
  /** Whether answers of other protocols show their reasoning as thinking blocks. */
  readonly showsThinking: boolean;
}

/**
 * Reads the body of `/messages`. Providers of the dialect get it unchanged (`native`), all others translated.
 * @throws HttpError 400 that names the invalid field.
 */
export function readMessagesRequest(body: JsonObject, headers: IncomingHttpHeaders): ReadRequest {
  refuseExcess(body);
  const fields = checkFields(messagesRequestSchema, body);
  const problems = new TranslationProblems();
  const { stop_sequences: stop, top_k: topK } = fields;
  if (fields.max_tokens === 0) problems.addUnsupported('max_tokens', '0');
  const request = toChatRequest(fields, problems);
  return {
    request: {
      ...request,
      sampling: {
        temperature: fields.temperature ?? undefined,
        topP: fields.top_p ?? undefined,
        stop: stop && stop.length > 0 ? stop : undefined,
      },
      maxOutputTokens: readMaxTokens(body),
      responseFormat: readFormat(fields.output_config?.format ?? fields.output_format, problems),
      ...(typeof topK === 'number' && { extraFields: { top_k: topK } }),
      native: toNative(body, headers, problems),
    },
    isStreamed: fields.stream === true,
    showsThinking: showsThinking(fields),
  };
}

/**
 * Reads the body of `/messages/count_tokens`.
 * @throws HttpError 400 that names the invalid field.
 */
export function readCountRequest(body: JsonObject, headers: IncomingHttpHeaders): ChatRequest {
  refuseExcess(body);
  const problems = new TranslationProblems();
  const request = toChatRequest(checkFields(countRequestSchema, body), problems);
  return { ...request, native: toNative(body, headers, problems) };
}

const KNOWN_FIELDS = toKnownFields(READ_FIELDS);

function refuseExcess(body: JsonObject): void {
  refuseLookalikes(body, KNOWN_FIELDS);
  // Counted first, because validating millions of parts would block the event loop.
  if (countParts(body) > MAX_PARTS) {
    const message = `'messages' must not hold more than ${MAX_PARTS} messages, content blocks and tools.`;
    throw invalidRequest(message, 'messages');
  }
}

function countParts({ messages, system, tools }: JsonObject): number {
  const lists = [messages, system, tools].filter(Array.isArray);
  let count = 0;
  for (let list = lists.pop(); list && count <= MAX_PARTS; list = lists.pop()) {
    count += list.length;
    for (const entry of list) if (isJsonObject(entry) && Array.isArray(entry['content'])) lists.push(entry['content']);
  }
  return count;
}

/** Fields that are translated, and those that other protocols can do without: they do not change the answer. */
const TRANSLATED_FIELDS = new Set([
  ...READ_FIELDS,
  ...['metadata', 'service_tier', 'cache_control', 'context_management', 'diagnostics', 'speed'],
]);
const THINKING_FIELDS = new Set(['type', 'budget_tokens', 'display']);
const THINKING_TYPES = new Set(['adaptive', 'enabled', 'disabled']);
const OUTPUT_FIELDS = new Set(['effort', 'format']);
const TOOL_CHOICE_FIELDS = new Set(['type', 'name', 'disable_parallel_tool_use']);

function toChatRequest(fields: CountRequest, problems: TranslationProblems): ChatRequest {
  problems.addUnknown(fields, TRANSLATED_FIELDS, '');
  problems.addUnknown(fields.thinking ?? {}, THINKING_FIELDS, 'thinking.');
  const thinkingType = fields.thinking?.type ?? 'disabled';
  if (!THINKING_TYPES.has(thinkingType)) problems.addUnsupported('thinking.type', thinkingType);
  problems.addUnknown(fields.output_config ?? {}, OUTPUT_FIELDS, 'output_config.');
  problems.addUnknown(fields.tool_choice ?? {}, TOOL_CHOICE_FIELDS, 'tool_choice.');
  const system = readSystem(fields.system, 'system', problems);
  const tools = readTools(fields.tools, problems);
  return {
    model: fields.model,
    messages: [...system, ...readMessages(fields.messages, problems)],
    tools,
    toolChoice: tools || fields.tool_choice?.type === 'tool' ? readToolChoice(fields.tool_choice) : undefined,
    allowsParallelToolCalls: fields.tool_choice?.disable_parallel_tool_use ? false : undefined,
    reasoningEffort: readEffort(fields),
    optional: ['reasoningEffort'],
  };
}

/** Token budgets of reasoning below which the effort is low or medium. */
const BUDGETS = { low: 4096, medium: 16_384 };

/** Returns the effort of OpenAI's protocol that is closest to the thinking of the request. */
function readEffort({ thinking, output_config: output }: CountRequest): string | undefined {
  if (thinking?.type === 'disabled') return 'none';
  if (output?.effort) return output.effort === 'max' ? 'xhigh' : output.effort;
  const budget = thinking?.budget_tokens;
  if (typeof budget !== 'number') return undefined;
  return budget < BUDGETS.low ? 'low' : budget < BUDGETS.medium ? 'medium' : 'high';
}

/** Clients that did not ask for thinking expect the text in the first block. */
function showsThinking({ thinking }: MessagesRequest): boolean {
  return Boolean(thinking) && thinking?.type !== 'disabled' && thinking?.['display'] !== 'omitted';
}

function readFormat(
  format: MessagesRequest['output_format'],
  problems: TranslationProblems,
): ChatRequest['responseFormat'] {
  if (!format) return undefined;
  if (format.type === 'json_schema' && format.schema) return { type: 'json', schema: format.schema };
  if (format.type === 'json_schema') {
    throw invalidRequest("'output_config.format.schema' must be a JSON Schema.", 'output_config.format.schema');
  }
  problems.addUnsupported('output_config.format.type', format.type);
  return undefined;
}

const FORWARDED_HEADERS = ['anthropic-beta', 'anthropic-version'] as const;

function toNative(
  body: JsonObject,
  headers: IncomingHttpHeaders,
  { first: untranslatable }: TranslationProblems,
): ChatRequest['native'] {
  const forwarded = FORWARDED_HEADERS.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return { dialect: 'messages', body, headers: Object.fromEntries(forwarded), untranslatable };
}
