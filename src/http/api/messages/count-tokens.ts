import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readCountRequest } from '../../../protocols/anthropic-messages/request/read-request.ts';
import { countRequestSchema } from '../../../protocols/anthropic-messages/request/request-schema.ts';
import { parseJsonBody } from '../../server/bodies/json-body.ts';
import { describeResponse } from '../../server/openapi.ts';
import type { HttpServices } from '../../services.ts';
import { getRequestContext } from '../requests/request-context.ts';
import { MESSAGES_REFUSALS } from './documented-errors.ts';

const SCHEMA = {
  tags: ['Anthropic'],
  summary: 'Count tokens',
  description: 'Counts the tokens of a prompt if the provider can, else estimates those of its texts and tools.',
  security: [{ 'api-key': [] }],
  body: countRequestSchema.meta({ examples: [{ model: 'demo', messages: [{ role: 'user', content: 'Hello!' }] }] }),
  response: {
    200: describeResponse('The number.', z.strictObject({ input_tokens: z.int() }).meta({ id: 'TokenCount' })),
    ...MESSAGES_REFUSALS,
  },
};

/** Adds `POST /ai/anthropic/messages/count_tokens`. Counts as a request, without tokens and costs. */
export function addCountTokens(server: FastifyInstance, { generation }: HttpServices): void {
  server.post('/ai/anthropic/messages/count_tokens', { schema: SCHEMA }, async (request) => {
    const params = readCountRequest(await parseJsonBody(request.body), request.headers);
    const { requester, signal } = getRequestContext(request);
    return { input_tokens: await generation.countPromptTokens(requester, params, signal) };
  });
}
