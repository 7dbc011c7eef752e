import { z } from 'zod';
import { isJsonObject } from '../../../lib/json/json.ts';
import {
  MAX_ANSWER_TOKENS,
  modelNameSchema,
  optionalBoolean,
  optionalNumber,
  optionalString,
  samplingShape,
  seedSchema,
  streamSchema,
  stringSchema,
  wholeNumberSchema,
} from '../../fields/field-schemas.ts';

const MAX_TOP_LOGPROBS = 20;
const MAX_METADATA = { pairs: 16, keyLength: 64, valueLength: 512 };

const formatSchema = z.looseObject(
  {
    type: z.enum(['text', 'json_object', 'json_schema'], "must be 'text', 'json_object' or 'json_schema'"),
    name: optionalString,
    description: optionalString,
    schema: z.looseObject({}, 'must be a JSON Schema of an object').nullish(),
    strict: optionalBoolean,
  },
  'must be an object',
);

const metadataSchema = z
  .unknown()
  // Counted first, because reading a hundred thousand keys would block the event loop.
  .refine(
    (pairs) => !isJsonObject(pairs) || Object.keys(pairs).length <= MAX_METADATA.pairs,
    `must have at most ${MAX_METADATA.pairs} keys`,
  )
  .meta({ type: 'object' })
  .pipe(
    z.record(
      z.string().max(MAX_METADATA.keyLength, `must have keys of at most ${MAX_METADATA.keyLength} characters`),
      z
        .string('must be a string')
        .max(MAX_METADATA.valueLength, `must have at most ${MAX_METADATA.valueLength} characters`),
      'must be an object',
    ),
  );

const inputSchema = z
  .union([z.string(), z.array(z.looseObject({})).min(1)], 'must be a string or a list of items')
  .describe('A message of the user, or a list of items, oldest first.');

/** Fields of a request that this service reads; `input` and `tools` are validated by their own readers. */
export const responseRequestSchema = z.looseObject({
  model: modelNameSchema,
  input: inputSchema.nullish(),
  instructions: optionalString.describe('System message before the input.'),
  stream: streamSchema,
  tools: z
    .array(z.looseObject({}), 'must be a list of tools')
    .nullish()
    .describe('Tools of type `function`, `custom` or `namespace`.'),
  tool_choice: z.unknown().optional().describe('`auto`, `none`, `required`, a tool, or `allowed_tools`.'),
  parallel_tool_calls: optionalBoolean.describe('`false`: at most one tool call in an answer.'),
  text: z
    .looseObject({ format: formatSchema.nullish(), verbosity: optionalString }, 'must be an object')
    .nullish()
    .describe('`format` requests JSON, with or without a schema.'),
  reasoning: z
    .looseObject({ effort: optionalString, summary: optionalString }, 'must be an object')
    .nullish()
    .describe('`effort` goes to the model.'),
  max_output_tokens: wholeNumberSchema(1, MAX_ANSWER_TOKENS)
    .nullish()
    .describe('Maximum length of the answer in tokens, reasoning included. Limits reserve this many.'),
  ...samplingShape,
  seed: seedSchema,
  stop: z
    .union([z.string(), z.array(z.string())], 'must be a string or a list of strings')
    .nullish()
    .describe('Sequences that end the answer.'),
  presence_penalty: optionalNumber.describe('Positive: the model talks about new topics more often.'),
  frequency_penalty: optionalNumber.describe('Positive: the model repeats itself less often.'),
  top_logprobs: wholeNumberSchema(0, MAX_TOP_LOGPROBS)
    .nullish()
    .describe('Number of alternatives for each token, with log probabilities.'),
  include: z
    .array(stringSchema, 'must be a list of strings')
    .nullish()
    .describe('`reasoning.encrypted_content`, `message.output_text.logprobs`; others have no effect.'),
  metadata: metadataSchema.nullish().describe('Returned with the response.'),
  previous_response_id: optionalString.describe('Stored response, or answer of a chat, that this one continues.'),
  store: optionalBoolean.describe('`false`: the response is not stored. Default true.'),
  background: optionalBoolean.describe('`true` answers at once; the response is fetched later.'),
  truncation: z
    .enum(['auto', 'disabled'], "must be 'auto' or 'disabled'")
    .nullish()
    .describe('Input that is too long is always refused, as with `disabled`.'),
  service_tier: optionalString.describe('Goes to the provider, except `auto` and `default`.'),
  user: optionalString.describe('Goes to providers that know it.'),
  safety_identifier: optionalString.describe('Goes to providers that know it.'),
  prompt_cache_key: optionalString.describe('Goes to providers that know it.'),
  max_tool_calls: optionalNumber.describe('Without effect: it limits tools that a provider runs.'),
});

export type ResponseRequestBody = z.infer<typeof responseRequestSchema>;

/** The body as it is documented. */
export const documentedRequestSchema = responseRequestSchema
  .extend({ input: inputSchema })
  .meta({ examples: [{ model: 'demo', input: 'Hello!' }] });
