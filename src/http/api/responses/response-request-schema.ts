import { z } from 'zod';
import { modelNameSchema } from '../check-fields.ts';

/** Maximum tokens of one answer: above the context of any model, and within 32-bit integers, which some hosts use. */
const MAX_ANSWER_TOKENS = 2 ** 31 - 1;
const MAX_METADATA = { pairs: 16, keyLength: 64, valueLength: 512 };

const booleanSchema = z.boolean('must be true or false').nullish();
const numberSchema = z.number('must be a number').nullish();
const textSchema = z.string('must be a string').nullish();
const tokensProblem = `must be a whole number from 1 to ${MAX_ANSWER_TOKENS}`;

const formatSchema = z.looseObject(
  {
    type: z.enum(['text', 'json_object', 'json_schema'], "must be 'text', 'json_object' or 'json_schema'"),
    name: textSchema,
    description: textSchema,
    schema: z.looseObject({}, 'must be a JSON Schema of an object').nullish(),
    strict: booleanSchema,
  },
  'must be an object',
);

const metadataSchema = z
  .record(
    z.string().max(MAX_METADATA.keyLength, `must have keys of at most ${MAX_METADATA.keyLength} characters`),
    z
      .string('must be a string')
      .max(MAX_METADATA.valueLength, `must have at most ${MAX_METADATA.valueLength} characters`),
    'must be an object',
  )
  .refine((pairs) => Object.keys(pairs).length <= MAX_METADATA.pairs, `must have at most ${MAX_METADATA.pairs} keys`);

/** Fields of a request that this service reads; `input` and `tools` are validated by their own readers. */
export const responseRequestSchema = z.looseObject({
  model: modelNameSchema,
  input: z
    .union([z.string(), z.array(z.looseObject({}))], 'must be a string or a list of items')
    .nullish()
    .describe('A message of the user, or a list of items, oldest first.'),
  instructions: textSchema.describe('System message before the input.'),
  stream: booleanSchema.describe('`true` streams the answer as server-sent events.'),
  tools: z
    .array(z.looseObject({}), 'must be a list of tools')
    .nullish()
    .describe('Tools of type `function`, `custom` or `namespace`.'),
  tool_choice: z.unknown().optional().describe('`auto`, `none`, `required`, a tool, or `allowed_tools`.'),
  parallel_tool_calls: booleanSchema.describe('`false`: at most one tool call in an answer.'),
  text: z
    .looseObject({ format: formatSchema.nullish(), verbosity: textSchema }, 'must be an object')
    .nullish()
    .describe('`format` requests JSON, with or without a schema.'),
  reasoning: z
    .looseObject({ effort: textSchema, summary: textSchema }, 'must be an object')
    .nullish()
    .describe('`effort` goes to the model.'),
  max_output_tokens: z
    .int(tokensProblem)
    .min(1, tokensProblem)
    .max(MAX_ANSWER_TOKENS, tokensProblem)
    .nullish()
    .describe('Maximum length of the answer in tokens, reasoning included. Limits reserve this many.'),
  temperature: numberSchema.describe('Sampling temperature: 0 is the most predictable.'),
  top_p: numberSchema.describe('Nucleus sampling: probability mass of the tokens to choose from.'),
  seed: numberSchema.describe('The same seed gives the same answer, as far as the provider supports it.'),
  stop: z
    .union([z.string(), z.array(z.string())], 'must be a string or a list of strings')
    .nullish()
    .describe('Sequences that end the answer.'),
  presence_penalty: numberSchema.describe('Positive: the model talks about new topics more often.'),
  frequency_penalty: numberSchema.describe('Positive: the model repeats itself less often.'),
  top_logprobs: z
    .int('must be a whole number from 0 to 20')
    .min(0, 'must be a whole number from 0 to 20')
    .max(20, 'must be a whole number from 0 to 20')
    .nullish()
    .describe('Number of alternatives for each token, with log probabilities.'),
  include: z
    .array(z.string('must be a string'), 'must be a list of strings')
    .nullish()
    .describe('`reasoning.encrypted_content`, `message.output_text.logprobs`; others have no effect.'),
  metadata: metadataSchema.nullish().describe('Returned with the response.'),
  previous_response_id: textSchema.describe('Stored response, or answer of a chat, that this one continues.'),
  store: booleanSchema.describe('`false`: the response is not stored. Default true.'),
  background: booleanSchema.describe('`true` answers at once; the response is fetched later.'),
  truncation: z
    .enum(['auto', 'disabled'], "must be 'auto' or 'disabled'")
    .nullish()
    .describe('Input that is too long is always refused, as with `disabled`.'),
  service_tier: textSchema.describe('Goes to the provider, except `auto` and `default`.'),
  user: textSchema.describe('Goes to providers that know it.'),
  safety_identifier: textSchema.describe('Goes to providers that know it.'),
  prompt_cache_key: textSchema.describe('Goes to providers that know it.'),
  max_tool_calls: numberSchema.describe('Without effect: it limits tools that a provider runs.'),
});

export type ResponseRequestBody = z.infer<typeof responseRequestSchema>;
