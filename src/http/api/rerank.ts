import type { FastifyInstance } from 'fastify';
import { rankingSchema, readRerankRequest, rerankSchema } from '../../protocols/openai-media/rerank.ts';
import { parseJsonBody } from '../server/bodies/json-body.ts';
import { describeResponse } from '../server/openapi.ts';
import { getRecord } from '../server/request-log.ts';
import type { HttpServices } from '../services.ts';
import { FAILURES, REFUSALS, TIMEOUT } from './requests/documented-errors.ts';
import { getRequestContext } from './requests/request-context.ts';

const SCHEMA = {
  tags: ['OpenAI'],
  summary: 'Rerank documents',
  description:
    "Cohere's and Jina's protocol. Fields that are not listed here are passed to the provider, and its answer is returned unchanged.",
  security: [{ 'api-key': [] }],
  body: rerankSchema.meta({
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
