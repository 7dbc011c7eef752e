import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readResponseRequest, toChatRequest } from '../../../protocols/openai-responses/request/read-request.ts';
import { documentedRequestSchema } from '../../../protocols/openai-responses/request/request-schema.ts';
import { getHold } from '../../server/bodies/holds.ts';
import { parseJsonBody } from '../../server/bodies/json-body.ts';
import { describeResponse } from '../../server/openapi.ts';
import type { HttpServices } from '../../services.ts';
import { FAILURES, REFUSALS } from '../requests/documented-errors.ts';
import { getRequestContext } from '../requests/request-context.ts';
import { readHistory } from './read-history.ts';

const SCHEMA = {
  tags: ['OpenAI'],
  summary: 'Count the input tokens of a response',
  description: 'Counts the tokens of a prompt if the provider can, else estimates those of its texts and tools.',
  security: [{ 'api-key': [] }],
  body: documentedRequestSchema,
  response: {
    200: describeResponse(
      'The number.',
      z.strictObject({ object: z.literal('response.input_tokens'), input_tokens: z.int() }),
    ),
    ...REFUSALS,
    503: FAILURES[503],
  },
};

/** Adds `POST /ai/openai/responses/input_tokens`. Counts as a request, without tokens and costs. */
export function addInputTokens(server: FastifyInstance, { generation, responses }: HttpServices): void {
  server.post('/ai/openai/responses/input_tokens', { schema: SCHEMA }, async (request) => {
    const { requester, signal } = getRequestContext(request);
    const fields = await parseJsonBody(request.body);
    const history = await readHistory({ responses, userId: requester.userId, hold: getHold(request) }, fields);
    const params = readResponseRequest({ ...fields, input: history.input }, history.previousItems);
    const count = await generation.countPromptTokens(requester, toChatRequest(params), signal);
    return { object: 'response.input_tokens', input_tokens: count };
  });
}
