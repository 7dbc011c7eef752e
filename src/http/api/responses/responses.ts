import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type ChatCompletion, listParts } from '../../../core/models/index.ts';
import { createId } from '../../../lib/ids.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { invalidRequest } from '../../http-error.ts';
import { parseJsonBody } from '../../json-body.ts';
import { describeResponse } from '../../openapi.ts';
import { getRecord } from '../../request-log.ts';
import { describeError, FAILURES, REFUSALS, unixSecondsSchema } from '../documented-errors.ts';
import type { GenerationApiDeps } from '../generation-api-deps.ts';
import { getRequestContext } from '../request-context.ts';
import { sendStream } from '../send-stream.ts';
import { createOutputBuilder } from './build-output.ts';
import { createEventDialect } from './print-events.ts';
import { createResponsePrinter, type ResponseIdentity, toStatus } from './print-response.ts';
import { type ResponseRequest, readResponseRequest, toChatRequest } from './response-request.ts';
import { responseRequestSchema } from './response-request-schema.ts';

const responseSchema = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    created_at: unixSecondsSchema,
    status: z.enum(['completed', 'incomplete', 'failed', 'in_progress']),
    model: z.string().describe('The model that answered.'),
    output: z
      .array(z.looseObject({ id: z.string(), type: z.string(), status: z.string() }))
      .describe('Items of type `reasoning`, `message`, `function_call` and `custom_tool_call`.'),
    usage: z
      .looseObject({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() })
      .nullable()
      .describe('Null until the answer is complete.'),
  })
  .meta({ id: 'Response', description: 'An answer, with the settings of its request.' });

const SCHEMA = {
  tags: ['OpenAI'],
  summary: 'Response',
  description:
    "OpenAI's Responses API and Open Responses, translated for every model. Fields that are not listed here go to the provider.",
  security: [{ 'api-key': [] }],
  body: responseRequestSchema.meta({ examples: [{ model: 'demo', input: 'Hello!' }] }),
  response: {
    200: describeResponse('The response, or with `stream` its events.', {
      'application/json': responseSchema,
      'text/event-stream':
        '`event: {type}` and `data: {event}`, one after the other, from `response.created` to `response.completed`, `response.incomplete` or `response.failed`, then `data: [DONE]`.',
    }),
    ...REFUSALS,
    ...FAILURES,
    504: describeError('No provider of the model answered in time: `upstream_timeout`.'),
  },
};

/** Adds `POST /ai/openai/responses`. Responses are not stored. */
export function addResponses(server: FastifyInstance, deps: GenerationApiDeps): void {
  const now = () => deps.clock.now();
  server.post('/ai/openai/responses', { schema: SCHEMA }, async (request, reply) => {
    const { requester, signal } = getRequestContext(request);
    const params = readResponseRequest(parseJsonBody(request.body));
    refusePrevious(params);
    const chatRequest = toChatRequest(params);
    const identity = { id: createId('resp_'), createdAtMs: now() };
    const recorded = { ...requester, replyId: identity.id };
    if (params.body.stream) {
      const opening = deps.generation.stream(recorded, chatRequest, signal);
      await sendStream(opening, createEventDialect(params, identity, now), { request, reply }, deps);
      return reply;
    }
    const completion = await deps.generation.complete(recorded, chatRequest, signal);
    getRecord(request).markAnswered(completion);
    return printCompletion(completion, params, { ...identity, completedAtMs: now() });
  });
}

function refusePrevious({ body }: ResponseRequest): void {
  if (!body.previous_response_id) return;
  const message = "'previous_response_id' is not supported: responses are not stored. Send the conversation as input.";
  throw invalidRequest(message, 'previous_response_id');
}

function printCompletion(
  { choices: [choice], outcome }: ChatCompletion,
  params: ResponseRequest,
  { completedAtMs, ...identity }: ResponseIdentity & { readonly completedAtMs: number },
): JsonObject {
  const output = createOutputBuilder(params);
  for (const part of choice ? listParts(choice, 0) : []) output.add(part);
  const status = toStatus(choice?.finishReason);
  output.close(status);
  const printResponse = createResponsePrinter(params, identity);
  return printResponse({ status, output: output.print(), outcome, completedAtMs });
}
