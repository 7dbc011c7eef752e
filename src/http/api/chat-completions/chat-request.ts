import { z } from 'zod';
import type {
  ChatMessage,
  ChatRequest,
  Content,
  ContentPart,
  ToolCall,
  ToolChoice,
  ToolDefinition,
} from '../../../core/models/index.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { invalidRequest } from '../../http-error.ts';
import { checkFields, modelNameSchema, refuseLookalikes, toKnownFields } from '../check-fields.ts';
import { findUntranslatable } from './find-untranslatable.ts';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;
/** Maximum number of messages and content parts together. */
const MAX_PARTS = 20_000;

const contentSchema = z.union(
  [z.string(), z.array(z.looseObject({ type: z.string() }))],
  'must be a string or a list of content parts, each an object with a "type"',
);

const messageSchema = z
  .looseObject(
    {
      role: z
        .string('must be a string')
        .refine(isRole, `must be one of ${ROLES.map((role) => `'${role}'`).join(', ')}`),
      content: contentSchema.nullable().exactOptional(),
    },
    'must be an object with "role" and "content"',
  )
  .refine((message) => mayLackContent(message.role) || (message.content ?? null) !== null, {
    path: ['content'],
    message: 'is missing',
  })
  .refine((message) => mayLackContent(message.role) || !Array.isArray(message.content) || message.content.length > 0, {
    path: ['content'],
    message: 'must hold at least one content part',
  });

/** Maximum number of choices, as in OpenAI's API. */
const MAX_CHOICES = 128;
/** Maximum tokens of one answer: above the context of any model, and within 32-bit integers, which some hosts use. */
const MAX_ANSWER_TOKENS = 2 ** 31 - 1;

function wholeNumberSchema(max: number) {
  const problem = `must be a whole number from 1 to ${max}`;
  return z.int(problem).min(1, problem).max(max, problem).nullish();
}

const numberSchema = z.number('must be a number').nullish();

/** Fields of a chat request that this service reads. The numbers are checked because quotas are computed from them. */
export const chatRequestSchema = z.looseObject({
  messages: z
    .array(messageSchema, 'must be a list of messages')
    .min(1, 'must hold at least one message')
    .describe(
      'The conversation, oldest message first. Roles may be in any case; content is text or a list of content parts.',
    ),
  stream: z.boolean('must be true or false').nullish().describe('`true` streams the answer as server-sent events.'),
  stream_options: z
    .looseObject({}, 'must be an object')
    .nullish()
    .describe('`include_usage` adds a last chunk with the token counts.'),
  n: wholeNumberSchema(MAX_CHOICES).describe('Number of choices.'),
  max_tokens: wholeNumberSchema(MAX_ANSWER_TOKENS).describe(
    'Maximum length of the answer in tokens. Limits reserve this many.',
  ),
  max_completion_tokens: wholeNumberSchema(MAX_ANSWER_TOKENS).describe(
    'The same as `max_tokens`, under its newer name.',
  ),
  temperature: numberSchema.describe('Sampling temperature: 0 is the most predictable.'),
  top_p: numberSchema.describe('Nucleus sampling: probability mass of the tokens to choose from.'),
  seed: numberSchema.describe('The same seed gives the same answer, as far as the provider supports it.'),
});

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
  const maxTokens = [checked.max_tokens, checked.max_completion_tokens].filter((count) => typeof count === 'number');
  const toolChoice = toToolChoice(fields['tool_choice']);
  const responseFormat = toResponseFormat(fields['response_format']);
  const untranslatable = findUntranslatable(fields, { toolChoice, responseFormat }, prefix);
  return {
    model: name,
    messages: messages.map(toMessage),
    tools: toTools(fields['tools']),
    toolChoice,
    responseFormat,
    sampling: {
      temperature: checked.temperature ?? undefined,
      topP: checked.top_p ?? undefined,
      seed: checked.seed ?? undefined,
      stop: toStops(fields['stop']),
    },
    reasoningEffort: typeof fields['reasoning_effort'] === 'string' ? fields['reasoning_effort'] : undefined,
    // Some hosts know only one of these names and use its value.
    maxOutputTokens: maxTokens.length > 0 ? Math.max(...maxTokens) : undefined,
    choiceCount: checked.n ?? undefined,
    allowsParallelToolCalls: fields['parallel_tool_calls'] === false ? false : undefined,
    further: toFurther(fields),
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

function toFurther(fields: JsonObject): ChatRequest['further'] {
  const further = Object.entries(fields).filter(
    ([name, value]) => !TRANSLATED_FIELDS.has(name) && value !== null && value !== undefined,
  );
  return further.length > 0 ? Object.fromEntries(further) : undefined;
}

type RequestMessage = z.infer<typeof messageSchema>;

function toMessage(message: RequestMessage): ChatMessage {
  const content = toContent(message.content);
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content };
    case 'tool':
    case 'function':
      return { role: 'tool', toolCallId: String(message['tool_call_id'] ?? message['name'] ?? ''), content };
    case 'assistant':
      return { role: 'assistant', content, toolCalls: toToolCalls(message['tool_calls']) };
    default:
      return { role: 'user', content };
  }
}

function toContent(content: RequestMessage['content']): Content {
  if (!content) return '';
  return typeof content === 'string' ? content : content.map(toPart);
}

function toPart(part: JsonObject): ContentPart {
  const { type, text, image_url: image } = part;
  const url = isJsonObject(image) ? image['url'] : image;
  if (type === 'text' && typeof text === 'string') return { type, text };
  if (type === 'image_url' && typeof url === 'string') return { type: 'image', url };
  const file = type === 'file' && isJsonObject(part['file']) ? part['file'] : {};
  if (typeof file['file_data'] === 'string') {
    return {
      type: 'file',
      url: file['file_data'],
      name: typeof file['filename'] === 'string' ? file['filename'] : undefined,
    };
  }
  return { type: 'other', native: part };
}

function toToolCalls(calls: unknown): readonly ToolCall[] | undefined {
  if (!Array.isArray(calls)) return undefined;
  return calls.filter(isJsonObject).map(({ id, type: _type, function: called, ...native }) => {
    const { name, arguments: written } = isJsonObject(called) ? called : {};
    return { id: String(id ?? ''), name: String(name ?? ''), arguments: String(written ?? ''), native };
  });
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

function isRole(role: string): boolean {
  return ROLES.some((supported) => supported === role.toLowerCase());
}

/**
 * Returns true for roles whose content is optional: an assistant may have only tool calls or a refusal, a tool an empty
 * result.
 */
function mayLackContent(role: string): boolean {
  return ['assistant', 'tool', 'function'].includes(role.toLowerCase());
}
