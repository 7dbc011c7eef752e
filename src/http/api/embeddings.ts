import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { EmbeddingRequest } from '../../core/models/index.ts';
import { createCache } from '../../lib/async/cache.ts';
import type { Clock } from '../../lib/clock.ts';
import { printEmbeddings } from '../../protocols/openai-media/embeddings-answer.ts';
import { embeddingsSchema, toEmbeddingRequest } from '../../protocols/openai-media/embeddings-request.ts';
import { getHold } from '../server/bodies/holds.ts';
import { parseJsonBody } from '../server/bodies/json-body.ts';
import { describeResponse } from '../server/openapi.ts';
import { getRecord } from '../server/request-log.ts';
import type { HttpServices } from '../services.ts';
import { FAILURES, REFUSALS, TIMEOUT } from './requests/documented-errors.ts';
import { getRequestContext } from './requests/request-context.ts';

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

/** Sizes of a vector of 3072 numbers, for models without an answer so far. */
const UNKNOWN_BYTES = { float: 40 * 1024, base64: 16 * 1024 };
const MAX_KNOWN = 1000;
const KNOWN_MS = 86_400_000;

/** Creates estimates from the last answer of the same model with the same options. */
function createEmbeddingSizes(clock: Clock) {
  const bytesPerInput = createCache<string, number>(clock, { max: MAX_KNOWN, ttlMs: KNOWN_MS });
  const toKey = ({ model, encoding, dimensions }: EmbeddingRequest) => `${encoding} ${dimensions ?? ''} ${model}`;
  return {
    /** Returns the expected size of an answer in bytes. */
    estimate(request: EmbeddingRequest): number {
      const each = bytesPerInput.get(toKey(request)) ?? UNKNOWN_BYTES[request.encoding];
      return Math.ceil(each * request.inputs.length);
    },
    /** Records the size of an answer, for later estimates. */
    record(request: EmbeddingRequest, sizeBytes: number): void {
      bytesPerInput.set(toKey(request), sizeBytes / request.inputs.length);
    },
  };
}
