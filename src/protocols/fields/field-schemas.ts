import { z } from 'zod';

/** Maximum tokens of one answer: above the context of any model, and within 32-bit integers, which some hosts use. */
export const MAX_ANSWER_TOKENS = 2 ** 31 - 1;
/** Maximum number of answers to one request, as in OpenAI's API. */
export const MAX_CHOICES = 128;
/** Maximum number of messages or items and content parts together: validating millions would block the event loop. */
export const MAX_PARTS = 20_000;
/** Maximum size of all tools together, in characters of JSON. The tools of large agents have a tenth of it. */
export const MAX_TOOL_CHARACTERS = 1024 * 1024;

const MAX_MODEL_LENGTH = 256;

/** Schema of a model name in a request. */
export const modelNameSchema = z
  .string('must be the name of a model')
  .min(1, 'must be the name of a model')
  .max(MAX_MODEL_LENGTH, 'is too long for the name of a model')
  .describe('Name of a model, from `GET /ai/openai/models`.');

export const stringSchema = z.string('must be a string');
export const optionalString = stringSchema.nullish();
export const optionalNumber = z.number('must be a number').nullish();
export const optionalBoolean = z.boolean('must be true or false').nullish();

/** Creates the schema of a whole number from `min` to `max`. */
export function wholeNumberSchema(min: number, max: number) {
  const problem = `must be a whole number from ${min} to ${max}`;
  return z.int(problem).min(min, problem).max(max, problem);
}

/** Creates the schema of the query parameter `limit` of a list in pages. Default 20. */
export function pageLimitSchema(max: number) {
  const problem = `must be a whole number from 1 to ${max}`;
  return z.coerce.number(problem).int(problem).min(1, problem).max(max, problem).default(20);
}

export const streamSchema = optionalBoolean.describe('`true` streams the answer as server-sent events.');

/** Settings of the choice of tokens that all dialects have. */
export const samplingShape = {
  temperature: optionalNumber.describe('Sampling temperature: 0 is the most predictable.'),
  top_p: optionalNumber.describe('Nucleus sampling: probability mass of the tokens to choose from.'),
};

export const seedSchema = optionalNumber.describe(
  'The same seed gives the same answer, as far as the provider supports it.',
);

/** `stream_options` of OpenAI's protocol. */
export const streamOptionsSchema = z
  .looseObject({}, 'must be an object')
  .nullish()
  .describe('`include_usage` adds a last chunk with the token counts.');

/** A field of an answer. */
export const unixSecondsSchema = z.int().describe('Unix time in seconds.');
/** A field of an answer. */
export const userSchema = z.int().describe('User that the key belongs to.');
