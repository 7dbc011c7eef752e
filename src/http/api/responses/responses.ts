import type { FastifyInstance } from 'fastify';
import { createId } from '../../../lib/ids.ts';
import { printJson } from '../../../lib/json/large-json.ts';
import { createEventDialect } from '../../../protocols/openai-responses/answer/print-events.ts';
import { responseSchema } from '../../../protocols/openai-responses/answer/response-schema.ts';
import { isToBeStored } from '../../../protocols/openai-responses/request/read-request.ts';
import { documentedRequestSchema } from '../../../protocols/openai-responses/request/request-schema.ts';
import { getHold } from '../../server/bodies/holds.ts';
import { parseJsonBody } from '../../server/bodies/json-body.ts';
import { describeResponse } from '../../server/openapi.ts';
import { getRecord } from '../../server/request-log.ts';
import type { HttpServices } from '../../services.ts';
import { FAILURES, REFUSALS, TIMEOUT } from '../requests/documented-errors.ts';
import { getRequestContext } from '../requests/request-context.ts';
import { sendStream } from '../streams/send-stream.ts';
import { createBackgroundResponses } from './background.ts';
import { addInputTokens } from './input-tokens.ts';
import { prepareResponse } from './prepare-response.ts';
import { addStoredResponses } from './stored-responses.ts';

const SCHEMA = {
  tags: ['OpenAI'],
  summary: 'Response',
  description:
    "OpenAI's Responses API and Open Responses, translated for every model. Fields that are not listed here go to the provider.",
  security: [{ 'api-key': [] }],
  body: documentedRequestSchema,
  response: {
    200: describeResponse('The response, or with `stream` its events.', {
      'application/json': responseSchema,
      'text/event-stream':
        '`event: {type}` and `data: {event}`, one after the other, from `response.created` to `response.completed`, `response.incomplete` or `response.failed`, then `data: [DONE]`.',
    }),
    ...REFUSALS,
    ...FAILURES,
    ...TIMEOUT,
  },
};

/** Adds `POST /ai/openai/responses` and the routes of stored responses. */
export function addResponses(server: FastifyInstance, services: HttpServices): void {
  const background = createBackgroundResponses(services);
  server.post('/ai/openai/responses', { schema: SCHEMA }, async (request, reply) => {
    const { requester, signal } = getRequestContext(request);
    const fields = await parseJsonBody(request.body);
    const identity = { id: createId('resp_'), createdAtMs: services.clock.now() };
    const { userId } = requester;
    const asked = { fields, userId, identity, hold: getHold(request), logger: request.log };
    const { params, history, chatRequest, print, save, finish } = await prepareResponse(services, asked);
    if (isToBeStored(params)) {
      // The input is stored twice, as items and as messages.
      const expectedBytes = 2 * (Buffer.isBuffer(request.body) ? request.body.length : 0);
      const giveBack = await services.responses.reserve(userId, expectedBytes);
      if (reply.raw.closed) giveBack();
      else reply.raw.once('close', giveBack);
    }
    const recorded = { ...requester, replyId: identity.id };
    if (params.body.stream) {
      const opening = services.generation.stream(recorded, chatRequest, signal);
      const dialect = createEventDialect(params, identity, { now: () => services.clock.now(), save });
      await sendStream(opening, dialect, { request, reply }, services);
      return reply;
    }
    if (params.body.background) return background.begin({ fields, requester, identity, history, print });
    const completion = await services.generation.complete(recorded, chatRequest, signal);
    getRecord(request).markAnswered(completion.outcome);
    const printed = await printJson(await finish(completion));
    return reply.type('application/json; charset=utf-8').send(printed);
  });

  addInputTokens(server, services);
  addStoredResponses(server, services, background);
}
