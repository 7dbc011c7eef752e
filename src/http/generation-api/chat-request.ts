import { z } from 'zod';
import type { ChatRequest, ChatRequestBody } from '../../core/models/index.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { findLongText } from '../../lib/json-outline.ts';
import { invalidRequest } from '../http-error.ts';
import type { JsonBody } from '../json-body.ts';
import { checkFields, isModelName, modelNameSchema, refuseLookalikes, toKnownFields } from './check-fields.ts';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;
/** Messages and their content parts together. */
const MAX_PIECES = 20_000;

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

/** Choices of one completion; OpenAI takes as many. */
const MAX_CHOICES = 128;
/** Tokens of one answer. Above the context of any model, and as much as hosts that count in 32 bits understand. */
const MAX_ANSWER_TOKENS = 2 ** 31 - 1;

function wholeNumberSchema(max: number) {
  const problem = `must be a whole number from 1 to ${max}`;
  return z.int(problem).min(1, problem).max(max, problem).nullish();
}

/** Fields of a chat request that this service itself reads. The limits count with the numbers. */
export const chatRequestSchema = z.looseObject({
  messages: z.array(messageSchema, 'must be a list of messages').min(1, 'must hold at least one message'),
  stream: z.boolean('must be true or false').nullish(),
  stream_options: z.looseObject({}, 'must be an object').nullish(),
  n: wholeNumberSchema(MAX_CHOICES),
  max_tokens: wholeNumberSchema(MAX_ANSWER_TOKENS),
  max_completion_tokens: wholeNumberSchema(MAX_ANSWER_TOKENS),
});

const KNOWN_FIELDS = toKnownFields(['model', ...Object.keys(chatRequestSchema.shape)]);

/**
 * Checks what this service itself needs of a chat request and lowers the roles; every other field stays as it came.
 * @param fields what holds `messages`: the body itself, or the native `request` object.
 * @param prefix where the fields stand in the body, for `param`: `''` or `'request.'`.
 * @throws HttpError 400 with `param`.
 */
export function toChatRequestBody(model: unknown, fields: JsonObject, prefix = ''): ChatRequestBody {
  refuseLookalikes(fields, KNOWN_FIELDS, prefix);
  if (isPlainChat(fields) && isModelName(model)) return fields.model === model ? fields : { ...fields, model };
  const name = checkFields(modelNameSchema, model, 'model');
  // Counted first: a check of millions of pieces would hold up everybody.
  if (countPieces(fields['messages']) > MAX_PIECES) {
    throw invalidRequest(
      `'${prefix}messages' must not hold more than ${MAX_PIECES} messages and content parts.`,
      `${prefix}messages`,
    );
  }
  const { messages } = checkFields(chatRequestSchema, fields, prefix);
  return { ...fields, model: name, messages: messages.map(withLowerRole) };
}

/** The same for a body that is nothing but a chat request. */
export function toChatRequest({ fields, text }: JsonBody): ChatRequest {
  const body = toChatRequestBody(fields['model'], fields);
  const { messages } = fields;
  const isUnchanged = Array.isArray(messages) && body.messages.every(({ role }, at) => role === messages[at]?.role);
  return isUnchanged ? { body, json: text } : { body };
}

/** The form that nearly all requests have, which needs no closer look. */
function isPlainChat(fields: JsonObject): fields is ChatRequestBody {
  const { messages, stream, stream_options: options, n, max_tokens: maxTokens, max_completion_tokens: most } = fields;
  if (!Array.isArray(messages) || messages.length === 0 || countPieces(messages) > MAX_PIECES) return false;
  if (options !== undefined || (stream !== undefined && typeof stream !== 'boolean')) return false;
  if (n !== undefined || !isPlainLength(maxTokens) || !isPlainLength(most)) return false;
  return messages.every(isPlainMessage);
}

function isPlainLength(length: unknown): boolean {
  return (
    length === undefined || (Number.isInteger(length) && Number(length) >= 1 && Number(length) <= MAX_ANSWER_TOKENS)
  );
}

function isPlainMessage(message: unknown): boolean {
  if (!isJsonObject(message) || !PLAIN_ROLES.has(message['role'])) return false;
  if (findLongText(message, 'content')) return true;
  const { content } = message;
  return typeof content === 'string' || (Array.isArray(content) && content.length > 0 && content.every(isPlainPart));
}

function isPlainPart(part: unknown): boolean {
  return isJsonObject(part) && typeof part['type'] === 'string';
}

const PLAIN_ROLES: ReadonlySet<unknown> = new Set(ROLES);

function countPieces(messages: unknown): number {
  if (!Array.isArray(messages)) return 0;
  return messages.reduce<number>((count, message) => {
    const hasParts = isJsonObject(message) && !findLongText(message, 'content');
    const content = hasParts ? message['content'] : undefined;
    return count + 1 + (Array.isArray(content) ? content.length : 0);
  }, 0);
}

function withLowerRole<T extends { readonly role: string }>(message: T): T {
  const role = message.role.toLowerCase();
  return role === message.role ? message : { ...message, role };
}

function isRole(role: string): boolean {
  return ROLES.some((known) => known === role.toLowerCase());
}

/** An assistant's message may hold tool calls or a refusal instead of content; a tool may have nothing to say. */
function mayLackContent(role: string): boolean {
  return ['assistant', 'tool', 'function'].includes(role.toLowerCase());
}
