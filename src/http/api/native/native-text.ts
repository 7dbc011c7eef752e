import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ChatRequest, ChatStream } from '../../../core/models/index.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import { printJson } from '../../../lib/json/large-json.ts';
import { refuseLookalikes, toKnownFields } from '../../../protocols/fields/check-fields.ts';
import { modelNameSchema, unixSecondsSchema, userSchema } from '../../../protocols/fields/field-schemas.ts';
import { invalidRequest } from '../../../protocols/http-error.ts';
import { toChatRequest } from '../../../protocols/openai-chat/read-request.ts';
import { chatRequestSchema } from '../../../protocols/openai-chat/request-schema.ts';
import { parseJsonBody } from '../../server/bodies/json-body.ts';
import { ClientGoneError } from '../../server/connections/in-flight-requests.ts';
import { toErrorFacts } from '../../server/errors/error-response.ts';
import { describeResponse } from '../../server/openapi.ts';
import { getRecord } from '../../server/request-log.ts';
import type { HttpServices } from '../../services.ts';
import { FAILURES, REFUSALS } from '../requests/documented-errors.ts';
import { getRequestContext, type RequestContext } from '../requests/request-context.ts';
import { PING_INTERVAL_MS, startEventStream } from '../streams/event-stream.ts';
import { createNativeChunks, toFailedCompletion, toNativeCompletion } from './native-completion.ts';

const completionSchema = z
  .strictObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: unixSecondsSchema,
    model: z.string().describe('The model that answered.'),
    choices: z.array(
      z.strictObject({
        index: z.int(),
        message: z.strictObject({
          role: z.string(),
          content: z.string(),
          refusal: z.string().nullable().optional(),
          annotations: z.array(z.unknown()).optional(),
        }),
        finish_reason: z
          .string()
          .describe('`stop`; `error` if the generation failed; other values are those of the provider.'),
      }),
    ),
    usage: z
      .strictObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() })
      .describe('0 if the provider does not report it.'),
    user: userSchema,
  })
  .meta({ id: 'NativeCompletion' });

const SCHEMA = {
  tags: ['Native'],
  summary: 'Generate text',
  description:
    'For programs that want the same few fields from every provider; the OpenAI-compatible address returns whatever the provider sends. The answer has the documented fields only. If the generation fails, the answer is a 200 whose `finish_reason` is `error`.',
  security: [{ 'api-key': [] }],
  body: z
    .looseObject({
      model: modelNameSchema,
      request: chatRequestSchema.describe('`messages`, `stream`, and further fields for the provider.'),
    })
    .meta({ examples: [{ model: 'demo', request: { messages: [{ role: 'user', content: 'Hello!' }] } }] }),
  response: {
    200: describeResponse('The completion, or with `stream` its chunks.', {
      'application/json': completionSchema,
      'text/event-stream': '`data: {chunk}`, one after the other, then `data: [DONE]`.',
    }),
    ...REFUSALS,
    503: FAILURES[503],
  },
};

/** Adds `POST /ai/v2`, the service's own text interface. */
export function addNativeText(server: FastifyInstance, services: HttpServices): void {
  server.post('/ai/v2', { schema: SCHEMA }, async (request, reply) => {
    const { params, isStreamed } = toNativeParams(await parseJsonBody(request.body));
    const context = getRequestContext(request);
    if (!isStreamed) {
      const printed = await printJson(await complete(params, context, request, services));
      return reply.type('application/json; charset=utf-8').send(printed);
    }
    const stream = await services.generation.stream(context.requester, params, context.signal);
    getRecord(request).markAnswered(stream.outcome);
    await sendChunks(stream, params.model, request, reply, services);
    return reply;
  });
}

const KNOWN_FIELDS = toKnownFields(['model', 'request']);

/** Validates the body. Drops the obsolete `meta`, and `stream_options` because native chunks never contain usage. */
function toNativeParams(fields: JsonObject): { readonly params: ChatRequest; readonly isStreamed: boolean } {
  refuseLookalikes(fields, KNOWN_FIELDS);
  const request = fields['request'];
  if (!isJsonObject(request)) throw invalidRequest('\'request\' must be an object with "messages".', 'request');
  const { meta: _meta, stream_options: _streamOptions, ...rest } = request;
  return { params: toChatRequest(fields['model'], rest, 'request.'), isStreamed: rest['stream'] === true };
}

async function complete(
  params: ChatRequest,
  { requester, signal }: RequestContext,
  request: FastifyRequest,
  services: HttpServices,
): Promise<JsonObject> {
  const facts = { model: params.model, user: requester.userId, nowMs: services.clock.now() };
  try {
    const completion = await services.generation.complete(requester, params, signal);
    getRecord(request).markAnswered(completion.outcome);
    return toNativeCompletion(completion, facts);
  } catch (error) {
    // This interface reports internal failures within a 200. Errors the client can fix or retry keep their status.
    const { status } = toErrorFacts(error);
    if (signal.aborted || status < 500 || status === 503) throw error;
    request.log.warn({ err: error }, 'a native generation failed');
    getRecord(request).markIncomplete();
    return toFailedCompletion(facts);
  }
}

/**
 * Sends chunks and `[DONE]`, without pings. A failed stream ends with a chunk of finish reason `error` and no `[DONE]`.
 */
async function sendChunks(
  stream: ChatStream,
  model: string,
  request: FastifyRequest,
  reply: FastifyReply,
  services: HttpServices,
): Promise<void> {
  const { clock } = services;
  const events = startEventStream(reply, clock);
  const chunks = createNativeChunks(stream.outcome, { model, nowMs: clock.now() });
  try {
    for await (const event of stream) {
      const text = chunks.translate(event, { keepsEmpty: events.silenceMs() >= PING_INTERVAL_MS });
      if (text !== undefined) await events.write(text);
    }
    events.end(`${chunks.finish()}data: [DONE]\n\n`);
  } catch (error) {
    if (error instanceof ClientGoneError) return;
    request.log.warn({ err: error }, 'a stream was interrupted');
    getRecord(request).markIncomplete();
    events.end(chunks.fail());
  }
}
