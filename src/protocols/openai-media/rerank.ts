import { z } from 'zod';
import type { RerankRequest } from '../../core/models/contract/rerank-model.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { checkFields, refuseLookalikes, toKnownFields } from '../fields/check-fields.ts';
import { modelNameSchema } from '../fields/field-schemas.ts';
import { toTokenCount } from '../token-count.ts';

/** As many as Cohere accepts; other hosts accept fewer. */
const MAX_DOCUMENTS = 10_000;

const inputSchema = z.union([z.string(), z.looseObject({})], 'must be a text or an object');
/** Fields of a request that this service reads. */
export const rerankSchema = z.looseObject({
  model: modelNameSchema,
  query: inputSchema.describe('A text, or another form that the provider knows.'),
  documents: z
    .array(inputSchema, 'must be a list of texts or objects')
    .min(1, 'must not be empty')
    .max(MAX_DOCUMENTS, `must not hold more than ${MAX_DOCUMENTS} documents`)
    .describe('Texts, or objects with `text` or another form that the provider knows.'),
  top_n: z.int('must be a whole number').min(1, 'must be at least 1').nullish().describe('Number of results.'),
});
const KNOWN_FIELDS = toKnownFields(Object.keys(rerankSchema.shape));

/** Schema of the answer. */
export const rankingSchema = z
  .looseObject({
    results: z.array(
      z.looseObject({
        index: z.int().describe('Position of the document in `documents`.'),
        relevance_score: z.number(),
      }),
    ),
  })
  .meta({ id: 'Ranking', description: "The provider's ranking, unchanged." });

/**
 * Validates a request. Fields that are not known here are forwarded unchanged.
 * @throws HttpError 400 with `param`.
 */
export function readRerankRequest(body: JsonObject): RerankRequest {
  refuseLookalikes(body, KNOWN_FIELDS);
  const { model, query, documents } = checkFields(rerankSchema, body);
  const { model: _model, query: _query, documents: _documents, ...extraFields } = body;
  return { model, query, documents, extraFields };
}

/** Prints the body for a host. */
export function printRerankRequest({ model, query, documents, extraFields }: RerankRequest): JsonObject {
  return { ...extraFields, model, query, documents };
}

/** Returns whether an answer has the form of a ranking. */
export function isRanking({ results }: JsonObject): boolean {
  return Array.isArray(results) && results.every(isResult);
}

function isResult(result: unknown): boolean {
  return isJsonObject(result) && typeof result.index === 'number' && typeof result.relevance_score === 'number';
}

/** Reads `usage` (Jina, vLLM, Together) or `meta.tokens` (Cohere, which charges for searches). */
export function readTokens({ usage, meta }: JsonObject): number | undefined {
  const tokens = isJsonObject(meta) && isJsonObject(meta.tokens) ? meta.tokens.input_tokens : undefined;
  const { total_tokens: total, prompt_tokens: prompt } = isJsonObject(usage) ? usage : {};
  const count = toTokenCount(prompt ?? total ?? tokens);
  return typeof count === 'number' ? count : undefined;
}

/** Reads the searches that Cohere charges for. */
export function readSearches({ meta }: JsonObject): number | undefined {
  const billed = isJsonObject(meta) && isJsonObject(meta.billed_units) ? meta.billed_units : {};
  const count = toTokenCount(billed.search_units);
  return typeof count === 'number' ? count : undefined;
}
