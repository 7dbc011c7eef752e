import { z } from 'zod';
import { listNames } from '../fields/check-fields.ts';
import {
  MAX_ANSWER_TOKENS,
  MAX_CHOICES,
  samplingShape,
  seedSchema,
  streamOptionsSchema,
  streamSchema,
  wholeNumberSchema,
} from '../fields/field-schemas.ts';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;

const contentSchema = z.union(
  [z.string(), z.array(z.looseObject({ type: z.string() }))],
  'must be a string or a list of content parts, each an object with a "type"',
);

const messageSchema = z
  .looseObject(
    {
      role: z
        .string('must be a string')
        .refine(isRole, `must be one of ${listNames(ROLES)}`)
        .meta({ pattern: toAnyCase(ROLES) }),
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

/** Fields of a chat request that this service reads. The numbers are checked because quotas are computed from them. */
export const chatRequestSchema = z.looseObject({
  messages: z
    .array(messageSchema, 'must be a list of messages')
    .min(1, 'must hold at least one message')
    .describe(
      'The conversation, oldest message first. Roles may be in any case; content is text or a list of content parts.',
    ),
  stream: streamSchema,
  stream_options: streamOptionsSchema,
  n: wholeNumberSchema(1, MAX_CHOICES).nullish().describe('Number of choices.'),
  max_tokens: wholeNumberSchema(1, MAX_ANSWER_TOKENS)
    .nullish()
    .describe('Maximum length of the answer in tokens. Limits reserve this many.'),
  max_completion_tokens: wholeNumberSchema(1, MAX_ANSWER_TOKENS)
    .nullish()
    .describe('The same as `max_tokens`, under its newer name.'),
  ...samplingShape,
  seed: seedSchema,
});

export type RequestMessage = z.infer<typeof messageSchema>;

/** Returns a pattern for the words in any case, in the syntax of JSON Schema. */
function toAnyCase(words: readonly string[]): string {
  const patterns = words.map((word) => word.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`));
  return `^(${patterns.join('|')})$`;
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
