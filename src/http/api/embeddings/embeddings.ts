import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { printEmbeddings } from '../../../protocols/openai-media/embeddings-answer.ts';
import { embeddingsSchema, toEmbeddingRequest } from '../../../protocols/openai-media/embeddings-request.ts';
import { getHold } from '../../server/bodies/holds.ts';
import { parseJsonBody } from '../../server/bodies/json-body.ts';
import { describeResponse } from '../../server/openapi.ts';
import { getRecord } from '../../server/request-log.ts';
import type { HttpServices } from '../../services.ts';
import { FAILURES, REFUSALS, TIMEOUT } from '../requests/documented-errors.ts';
import { getRequestContext } from '../requests/request-context.ts';
import { createEmbeddingSizes } from './embedding-sizes.ts';

/** OpenAI allows 300 000 tokens in all inputs of a request. Parsing that many blocks the event loop for about 20 ms. */
const MAX_VALUES = 310_000;

const answerSchema = z
  .looseObject({
    object: z.literal('list'),
    data: z.array(
      z.looseObject({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z.union([z.array(z.number()), z.string()]),
      }),
    ),
    model: z.string().describe('The model that answered.'),
    usage: z.looseObject({ prompt_tokens: z.int(), total_tokens: z.int() }),
  })
  .meta({ id: 'Embeddings' });

const SCHEMA = {
  tags: ['OpenAI'],
  summary: 'Create embeddings',
  description: "OpenAI's protocol. Fields that are not listed here are passed to the provider.",
  security: [{ 'api-key': [] }],
  body: embeddingsSchema.meta({ examples: [{ model: 'demo-embedding', input: ['A red fox', 'The fox is red'] }] }),
  response: {
    200: describeResponse('One vector for each input.', answerSchema),
    ...REFUSALS,
    ...FAILURES,
    ...TIMEOUT,
  },
};

/** Adds `POST /ai/openai/embeddings`. The vectors have the requested encoding, whatever the provider returns. */
export function addEmbeddings(server: FastifyInstance, services: HttpServices): void {
  const sizes = createEmbeddingSizes(services.clock);
  server.post('/ai/openai/embeddings', { schema: SCHEMA }, async (request, reply) => {
    const { requester, signal } = getRequestContext(request);
    const params = toEmbeddingRequest(await parseJsonBody(request.body, MAX_VALUES));
    getHold(request).expect(sizes.estimate(params));
    const made = await services.embeddings.embed(requester, params, signal);
    getRecord(request).markAnswered(made);
    const printed = await printEmbeddings(made, params.encoding);
    sizes.record(params, printed.length);
    return reply.type('application/json; charset=utf-8').send(printed);
  });
}
