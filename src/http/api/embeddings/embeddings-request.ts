import { z } from 'zod';
import {
  type EmbeddingInput,
  type EmbeddingRequest,
  MAX_EMBEDDING_INPUTS,
  VECTOR_ENCODINGS,
} from '../../../core/models/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { invalidRequest } from '../../http-error.ts';
import { checkFields, modelNameSchema, refuseLookalikes, toKnownFields } from '../check-fields.ts';

/** Above the length of the vectors of any model. */
const MAX_DIMENSIONS = 65_536;
const DIMENSIONS_PROBLEM = `must be a whole number from 1 to ${MAX_DIMENSIONS}`;
const FORMAT_PROBLEM = `must be ${VECTOR_ENCODINGS.map((encoding) => `'${encoding}'`).join(' or ')}`;

/** Fields of a request for embeddings that this service reads. `input` is checked apart, because it may be large. */
export const embeddingsSchema = z.looseObject({
  model: modelNameSchema,
  input: z
    .union([z.string(), z.array(z.string()), z.array(z.int()), z.array(z.array(z.int()))])
    .describe(
      `A text, a list of up to ${MAX_EMBEDDING_INPUTS} texts, the tokens of one input, or a list of lists of tokens. None is empty.`,
    ),
  encoding_format: z
    .enum(VECTOR_ENCODINGS, FORMAT_PROBLEM)
    .nullish()
    .describe('`base64`: 32-bit floats, little endian. Default `float`.'),
  dimensions: z
    .int(DIMENSIONS_PROBLEM)
    .min(1, DIMENSIONS_PROBLEM)
    .max(MAX_DIMENSIONS, DIMENSIONS_PROBLEM)
    .nullish()
    .describe('Length of the vectors, for models that support several.'),
});

const smallFieldsSchema = embeddingsSchema.omit({ input: true });
const KNOWN_FIELDS = toKnownFields(Object.keys(embeddingsSchema.shape));

/**
 * Validates a request for embeddings. Fields that are not known here are forwarded unchanged.
 * @throws HttpError 400 with `param`.
 */
export function toEmbeddingRequest(body: JsonObject): EmbeddingRequest {
  refuseLookalikes(body, KNOWN_FIELDS);
  const { input, ...fields } = body;
  const { model, encoding_format: format, dimensions, ...further } = checkFields(smallFieldsSchema, fields);
  return {
    model,
    inputs: toInputs(input),
    encoding: format ?? 'float',
    dimensions: dimensions ?? undefined,
    further,
  };
}

function toInputs(input: unknown): readonly EmbeddingInput[] {
  if (!Array.isArray(input)) return [toInput(input, 'input')];
  if (input.length === 0) throw invalidRequest("'input' must not be empty.", 'input');
  if (typeof input[0] === 'number') return [toInput(input, 'input')];
  if (input.length > MAX_EMBEDDING_INPUTS)
    throw invalidRequest(`'input' must not hold more than ${MAX_EMBEDDING_INPUTS} inputs.`, 'input');
  return input.map((item, index) => toInput(item, `input[${index}]`));
}

function toInput(item: unknown, path: string): EmbeddingInput {
  const isTokens = Array.isArray(item) && item.every((token) => Number.isInteger(token) && token >= 0);
  if (typeof item !== 'string' && !isTokens)
    throw invalidRequest(`'${path}' must be a text or a list of tokens, which are whole numbers.`, path);
  if (item.length === 0) throw invalidRequest(`'${path}' must not be empty.`, path);
  return item;
}
