import { z } from 'zod';
import {
  type EmbeddingRequest,
  MAX_EMBEDDING_INPUTS,
  VECTOR_ENCODINGS,
} from '../../core/models/contract/embedding-model.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { checkFields, refuseLookalikes, toKnownFields } from '../fields/check-fields.ts';
import { modelNameSchema, wholeNumberSchema } from '../fields/field-schemas.ts';
import { readTextInputs } from '../fields/read-text-inputs.ts';

/** Above the length of the vectors of any model. */
const MAX_DIMENSIONS = 65_536;
const FORMAT_PROBLEM = `must be ${VECTOR_ENCODINGS.map((encoding) => `'${encoding}'`).join(' or ')}`;

const tokenSchema = z.int().min(0);

/** Fields of a request for embeddings that this service reads. `readTextInputs` validates `input`. */
export const embeddingsSchema = z.looseObject({
  model: modelNameSchema,
  input: z
    .union([
      z.string().min(1),
      z.array(z.string().min(1)).min(1).max(MAX_EMBEDDING_INPUTS),
      z.array(tokenSchema).min(1),
      z.array(z.array(tokenSchema).min(1)).min(1).max(MAX_EMBEDDING_INPUTS),
    ])
    .describe(
      `A text, a list of up to ${MAX_EMBEDDING_INPUTS} texts, the tokens of one input, or a list of lists of tokens. None is empty.`,
    ),
  encoding_format: z
    .enum(VECTOR_ENCODINGS, FORMAT_PROBLEM)
    .nullish()
    .describe('`base64`: 32-bit floats, little endian. Default `float`.'),
  dimensions: wholeNumberSchema(1, MAX_DIMENSIONS)
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
  const { model, encoding_format: format, dimensions, ...extraFields } = checkFields(smallFieldsSchema, fields);
  return {
    model,
    inputs: readTextInputs(input, 'input', { maxInputs: MAX_EMBEDDING_INPUTS, acceptsEmptyTexts: false }),
    encoding: format ?? 'float',
    dimensions: dimensions ?? undefined,
    extraFields,
  };
}

/** Prints the body for a host, without the encoding, which some refuse. */
export function printEmbeddingRequest({ model, inputs, dimensions, extraFields }: EmbeddingRequest): JsonObject {
  return { ...extraFields, model, input: inputs, dimensions };
}
