import type { ChatRequest, ToolChoice, ToolDefinition } from '../../core/models/contract/chat-request.ts';
import { isLengthField } from '../../core/models/contract/length-fields.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { checkFields, refuseLookalikes, toKnownFields } from '../fields/check-fields.ts';
import { MAX_PARTS, modelNameSchema } from '../fields/field-schemas.ts';
import { readMaxTokens } from '../fields/read-max-tokens.ts';
import { invalidRequest } from '../http-error.ts';
import { findUntranslatable } from './find-untranslatable.ts';
import { toCached, toMessage } from './read-messages.ts';
import { chatRequestSchema } from './request-schema.ts';

const KNOWN_FIELDS = toKnownFields(['model', ...Object.keys(chatRequestSchema.shape)]);

/**
 * Validates the fields of a chat request that this service uses. All other fields are forwarded unchanged; roles are
 * lowercased.
 * @param fields object that contains `messages`: the body itself, or the native `request` object.
 * @param prefix path of `fields` in the body, for `param`: `''` or `'request.'`.
 * @throws HttpError 400 with `param`.
 */
export function toChatRequest(model: unknown, fields: JsonObject, prefix = ''): ChatRequest {
  refuseLookalikes(fields, KNOWN_FIELDS, prefix);
  const name = checkFields(modelNameSchema, model, 'model');
  // Counted first, because validating millions of parts would block the event loop.
  if (countParts(fields['messages']) > MAX_PARTS) {
    throw invalidRequest(
      `'${prefix}messages' must not hold more than ${MAX_PARTS} messages and content parts.`,
      `${prefix}messages`,
    );
  }
  const checked = checkFields(chatRequestSchema, fields, prefix);
  const messages = checked.messages.map(withLowerRole);
  const toolChoice = toToolChoice(fields['tool_choice']);
  const responseFormat = toResponseFormat(fields['response_format']);
  const translated = { messages: messages.map(toMessage), toolChoice, responseFormat };
  const untranslatable = findUntranslatable(fields, translated, prefix);
  return {
    ...translated,
    model: name,
    tools: toTools(fields['tools']),
    sampling: {
      temperature: checked.temperature ?? undefined,
      topP: checked.top_p ?? undefined,
      seed: checked.seed ?? undefined,
      stop: toStops(fields['stop']),
    },
    reasoningEffort: typeof fields['reasoning_effort'] === 'string' ? fields['reasoning_effort'] : undefined,
    maxOutputTokens: readMaxTokens(fields, prefix),
    choiceCount: checked.n ?? undefined,
    allowsParallelToolCalls: fields['parallel_tool_calls'] === false ? false : undefined,
    extraFields: toExtraFields(fields),
    native: { dialect: 'chat-completions', body: { ...fields, model: name, messages }, untranslatable },
  };
}

/** Fields that `ChatRequest` names, and those about the delivery of the answer. */
const TRANSLATED_FIELDS: ReadonlySet<string> = new Set([
  ...KNOWN_FIELDS.names,
  'parallel_tool_calls',
  'reasoning_effort',
  'response_format',
  'stop',
  'tool_choice',
  'tools',
]);

function toExtraFields(fields: JsonObject): ChatRequest['extraFields'] {
  const extra = Object.entries(fields).filter(
    ([name, value]) => !TRANSLATED_FIELDS.has(name) && !isLengthField(name) && value !== null && value !== undefined,
  );
  return extra.length > 0 ? Object.fromEntries(extra) : undefined;
}

function toTools(tools: unknown): readonly ToolDefinition[] | undefined {
  if (!Array.isArray(tools)) return undefined;
  return tools.flatMap((tool) => {
    const { name, description, parameters, strict } =
      isJsonObject(tool) && isJsonObject(tool['function']) ? tool['function'] : {};
    if (typeof name !== 'string') return [];
    return [
      {
        name,
        description: typeof description === 'string' ? description : undefined,
        parameters: isJsonObject(parameters) ? parameters : undefined,
        isStrict: strict === true ? true : undefined,
        ...(isJsonObject(tool) && toCached(tool)),
      },
    ];
  });
}

function toToolChoice(choice: unknown): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  const name = isJsonObject(choice) && isJsonObject(choice['function']) ? choice['function']['name'] : undefined;
  return typeof name === 'string' ? { name } : undefined;
}

function toResponseFormat(format: unknown): ChatRequest['responseFormat'] {
  if (!isJsonObject(format)) return undefined;
  if (format['type'] === 'json_object') return { type: 'json' };
  if (format['type'] !== 'json_schema' || !isJsonObject(format['json_schema'])) return undefined;
  const { schema, name, description, strict } = format['json_schema'];
  return {
    type: 'json',
    schema: isJsonObject(schema) ? schema : {},
    name: typeof name === 'string' ? name : undefined,
    description: typeof description === 'string' ? description : undefined,
    isStrict: strict === true ? true : undefined,
  };
}

function toStops(stop: unknown): readonly string[] | undefined {
  const stops = (Array.isArray(stop) ? stop : [stop]).filter((text) => typeof text === 'string');
  return stops.length > 0 ? stops : undefined;
}

function countParts(messages: unknown): number {
  if (!Array.isArray(messages)) return 0;
  return messages.reduce<number>((count, message) => {
    const content = isJsonObject(message) ? message['content'] : undefined;
    return count + 1 + (Array.isArray(content) ? content.length : 0);
  }, 0);
}

function withLowerRole<T extends { readonly role: string }>(message: T): T {
  const role = message.role.toLowerCase();
  return role === message.role ? message : { ...message, role };
}
