import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { RerankRequest } from '../../../core/models/index.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { checkFields, refuseLookalikes, toKnownFields } from '../../../protocols/fields/check-fields.ts';
import { modelNameSchema } from '../../../protocols/fields/field-schemas.ts';
import { parseJsonBody } from '../../server/bodies/json-body.ts';
import { describeResponse } from '../../server/openapi.ts';
import { getRecord } from '../../server/request-log.ts';
import type { HttpServices } from '../../services.ts';
import { FAILURES, REFUSALS, TIMEOUT } from '../requests/documented-errors.ts';
import { getRequestContext } from '../requests/request-context.ts';

/** As many as Cohere accepts; other hosts accept fewer. */
const MAX_DOCUMENTS = 10_000;

const inputSchema = z.union([z.string(), z.looseObject({})], 'must be a text or an object');
const requestSchema = z.looseObject({
  model: modelNameSchema,
  query: inputSchema.describe('A text, or another form that the provider knows.'),
  documents: z
    .array(inputSchema, 'must be a list of texts or objects')
    .min(1, 'must not be empty')
    .max(MAX_DOCUMENTS, `must not hold more than ${MAX_DOCUMENTS} documents`)
    .describe('Texts, or objects with `text` or another form that the provider knows.'),
  top_n: z.int('must be a whole number').min(1, 'must be at least 1').nullish().describe('Number of results.'),
});
const KNOWN_FIELDS = toKnownFields(Object.keys(requestSchema.shape));

const rankingSchema = z
  .looseObject({
    results: z.array(
      z.looseObject({
        index: z.int().describe('Position of the document in `documents`.'),
        relevance_score: z.number(),
      }),
    ),
  })
  .meta({ id: 'Ranking', description: "The provider's ranking, unchanged." });

const SCHEMA = {
  tags: ['OpenAI'],
  summary: 'Rerank documents',
  description:
    "Cohere's and Jina's protocol. Fields that are not listed here are passed to the provider, and its answer is returned unchanged.",
  security: [{ 'api-key': [] }],
  body: requestSchema.meta({
    examples: [{ model: 'rerank-v3.5', query: 'Where do foxes live?', documents: ['In dens.'] }],
  }),
  response: {
    200: describeResponse('The documents in the order of their relevance.', rankingSchema),
    ...REFUSALS,
    ...FAILURES,
    ...TIMEOUT,
  },
};

/** Adds `POST /ai/openai/rerank`. */
export function addRerank(server: FastifyInstance, services: HttpServices): void {
  server.post('/ai/openai/rerank', { schema: SCHEMA }, async (request, reply) => {
    const { requester, signal } = getRequestContext(request);
    const params = readRerankRequest(await parseJsonBody(request.body));
    const ranking = await services.rerank.rerank(requester, params, signal);
    getRecord(request).markAnswered(ranking);
    return reply.type('application/json; charset=utf-8').send(ranking.native);
  });
}

/** @throws HttpError 400 with `param`. */
function readRerankRequest(body: JsonObject): RerankRequest {
  refuseLookalikes(body, KNOWN_FIELDS);
  const { model, query, documents } = checkFields(requestSchema, body);
  const { model: _model, query: _query, documents: _documents, ...extraFields } = body;
  return { model, query, documents, extraFields };
}
