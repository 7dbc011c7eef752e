import { z } from 'zod';
import {
  MAX_ANSWER_TOKENS,
  modelNameSchema,
  optionalBoolean,
  optionalNumber,
  optionalString,
  samplingShape,
  streamSchema,
  stringSchema,
  wholeNumberSchema,
} from '../../fields/field-schemas.ts';

/** The API of Anthropic documents no limit; OpenAI's accepts 4. */
const MAX_STOP_SEQUENCES = 1000;
const MAX_EFFORT_LENGTH = 32;

/** Name of a tool, which is validated by the reader of tools. */
const TOOL_NAME = { type: 'string' as const, pattern: String.raw`^[\w-]{1,128}$` };

const effortSchema = stringSchema.max(MAX_EFFORT_LENGTH, 'must be the name of an effort');
const blocksSchema = z.union(
  [z.string(), z.array(z.looseObject({ type: z.string() }))],
  'must be a string or a list of content blocks, each an object with a "type"',
);

const messageSchema = z.looseObject(
  {
    role: z.enum(['user', 'assistant', 'system'], "must be 'user', 'assistant' or 'system'"),
    content: blocksSchema,
  },
  'must be an object with "role" and "content"',
);

const formatSchema = z.looseObject(
  { type: stringSchema, schema: z.looseObject({}, 'must be a JSON Schema').nullish() },
  'must be an object with "type"',
);

/** Fields of a request to count tokens. */
export const countRequestSchema = z.looseObject({
  model: modelNameSchema,
  messages: z
    .array(messageSchema, 'must be a list of messages')
    .min(1, 'must hold at least one message')
    .describe('The conversation, oldest message first.'),
  system: blocksSchema.nullish().describe('System prompt: a text, or a list of text blocks.'),
  tools: z
    .array(z.looseObject({}, 'must be an object').meta({ properties: { name: TOOL_NAME } }), 'must be a list of tools')
    .nullish()
    .describe('Tools with `name`, `description` and `input_schema`.'),
  tool_choice: z
    .looseObject(
      {
        type: z.enum(['auto', 'any', 'tool', 'none'], "must be 'auto', 'any', 'tool' or 'none'"),
        name: optionalString,
        disable_parallel_tool_use: optionalBoolean,
      },
      'must be an object with "type"',
    )
    .nullish()
    .describe('Whether the model may, must or must not call tools.'),
  thinking: z
    .looseObject({ type: stringSchema, budget_tokens: optionalNumber }, 'must be an object with "type"')
    .nullish()
    .describe('`{"type": "adaptive"}`, `{"type": "enabled", "budget_tokens": …}` or `{"type": "disabled"}`.'),
  output_config: z
    .looseObject({ effort: effortSchema.nullish(), format: formatSchema.nullish() }, 'must be an object')
    .nullish()
    .describe('`effort` of the reasoning, and `format` with a JSON Schema of the answer.'),
});

/** Fields of a request that this service reads. The blocks of messages are validated by their own readers. */
export const messagesRequestSchema = countRequestSchema.extend({
  max_tokens: wholeNumberSchema(0, MAX_ANSWER_TOKENS).describe(
    'Maximum length of the answer in tokens. Limits reserve this many.',
  ),
  stream: streamSchema,
  stop_sequences: z
    .array(stringSchema, 'must be a list of strings')
    .max(MAX_STOP_SEQUENCES, `must hold at most ${MAX_STOP_SEQUENCES} texts`)
    .nullish()
    .describe('Texts that end the answer.'),
  ...samplingShape,
  top_k: optionalNumber.describe('Number of tokens to choose from.'),
  output_format: formatSchema.nullish().describe('Earlier name of `output_config.format`.'),
});

export type CountRequest = z.infer<typeof countRequestSchema>;
export type MessagesRequest = z.infer<typeof messagesRequestSchema>;
export type RequestMessage = z.infer<typeof messageSchema>;
